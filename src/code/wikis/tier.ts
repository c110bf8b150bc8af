import type { Tier } from '#platform/access/route-access.ts'

/** Wikis of projects need no plan, those of groups do. */
export const groupWikis: Tier = { licensedArea: 'Group wikis', plan: 'premium' }
