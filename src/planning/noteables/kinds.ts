import type { Extension } from '#platform/extension-point.ts'
import type { NoteableKind } from './kind.ts'

const kinds = new Map<string, NoteableKind>()

/**
 * Registers a kind of noteable. Do this before the server is built: routes, consumers of events and queries iterate
 * over all kinds.
 * @returns an object that unregisters it, for tests.
 * @throws when there is one of that name, or one of that type in the same containers.
 */
export function registerNoteable(kind: NoteableKind): Disposable {
  const taken = noteableKinds().find(
    (one) => one.name === kind.name || (one.type === kind.type && one.container.path === kind.container.path),
  )
  if (taken !== undefined) throw new Error(`There are noteables ${taken.name} (${taken.type}) already`)
  kinds.set(kind.name, kind)
  return { [Symbol.dispose]: () => void kinds.delete(kind.name) }
}

/** All kinds, in the order in which they were registered. */
export const noteableKinds = (): readonly NoteableKind[] => [...kinds.values()]

/** The kind with this type, in the API and in domain events. Kinds that share a type read facts in the same way. */
export const kindOfType = (type: string): NoteableKind | undefined =>
  noteableKinds().find((kind) => kind.type === type)

/** For the `extensions` of the feature that owns the kind. */
export const noteable = (kind: NoteableKind): Extension => ({ install: () => void registerNoteable(kind) })
