import type { PlaceKind } from '#platform/access/places.ts'
import type { Tier } from '#platform/access/route-access.ts'

/** Where access tokens of projects or of groups take a plan. */
export const tiers: Readonly<Record<PlaceKind, Tier>> = {
  project: { feature: 'Project access tokens', plan: 'premium', planOn: ['hosted'] },
  group: { feature: 'Group access tokens', plan: 'premium', planOn: ['hosted'] },
}
