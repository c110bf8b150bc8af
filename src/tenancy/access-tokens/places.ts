import type { PlaceKind } from '#platform/access/places.ts'
import type { Tier } from '#platform/access/route-access.ts'

/** What has access tokens of its own: a project or a group. */
export interface TokenPlace {
  readonly kind: PlaceKind
  /** Of the project or group. */
  readonly id: number
  readonly namespace_id: number
}

/** Where access tokens of projects or of groups take a plan. */
export const tiers: Readonly<Record<PlaceKind, Tier>> = {
  project: { feature: 'Project access tokens', plan: 'premium', planOn: ['hosted'] },
  group: { feature: 'Group access tokens', plan: 'premium', planOn: ['hosted'] },
}
