import type { ContainerKind } from '#platform/access/container-sources.ts'

/** The container of access tokens: a project or a group. */
export interface TokenContainer {
  readonly kind: ContainerKind
  /** Of the project or group. */
  readonly id: number
  readonly namespace_id: number
}
