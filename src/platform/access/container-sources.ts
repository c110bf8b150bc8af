import type { RawBuilder } from 'kysely'
import { ExtensionPoint } from '#platform/extension-point.ts'

export type ContainerKind = 'project' | 'group'

/** How statements find one kind of container. The feature that owns the container's table registers it. */
export interface ContainerSource {
  readonly kind: ContainerKind
  /** Selects `id`, `creator_id` and `settings` of the container whose row in `namespaces` has the alias `n`. */
  readonly own: RawBuilder<unknown>
  /** The id of the row in `namespaces`, by the id of the container. */
  nodeOf(id: RawBuilder<number>): RawBuilder<number>
}

/** The kinds of containers. */
export const containerSources = new ExtensionPoint<ContainerSource>('the list of containers')

export function containerSource(kind: ContainerKind): ContainerSource {
  const source = containerSources.entries.find((one) => one.kind === kind)
  if (source === undefined) throw new Error(`No feature registers how to find a ${kind}`)
  return source
}
