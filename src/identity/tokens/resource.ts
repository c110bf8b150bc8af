import type { PlaceKind } from '#platform/access/places.ts'

/** What has access tokens of its own: a project or a group. */
export interface TokenPlace {
  readonly kind: PlaceKind
  /** Of the project or group. */
  readonly id: number
  readonly namespace_id: number
}
