import { ExtensionPoint } from '#platform/extension-point.ts'
import type { NoteableKind } from './kind.ts'

/** All kinds of noteables. Features add theirs by `defineKind` (define-kind.ts). */
export const kindsOfNoteables = new ExtensionPoint<NoteableKind>('the list of kinds of noteables')

const distinct = kindsOfNoteables.derive((kinds) => {
  for (const [index, kind] of kinds.entries()) {
    const taken = kinds
      .slice(0, index)
      .find(
        (one) =>
          one.name === kind.name || (one.type === kind.type && one.container.path === kind.container.path),
      )
    if (taken !== undefined) throw new Error(`There are noteables ${taken.name} (${taken.type}) already`)
  }
  return kinds
})

/**
 * All kinds, in the order in which they were registered.
 * @throws when two have one name, or one type in the same containers.
 */
export const noteableKinds = (): readonly NoteableKind[] => distinct()

/** The kind with this type, in the API and in domain events. Kinds that share a type read facts in the same way. */
export const kindOfType = (type: string): NoteableKind | undefined =>
  noteableKinds().find((kind) => kind.type === type)
