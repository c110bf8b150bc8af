import type { ContainerKind } from '#platform/access/containers.ts'

/** What has access tokens of its own: a project or a group. */
export interface TokenContainer {
  readonly kind: ContainerKind
  /** Of the project or group. */
  readonly id: number
  readonly namespace_id: number
}
