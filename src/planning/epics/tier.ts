import type { Tier } from '#platform/access/route-access.ts'

/** The plan that everything about epics needs. */
export const epicTier: Tier = { licensedArea: 'Epics', plan: 'premium' }
