import type { Extension } from '#platform/extension-point.ts'
import type { NoteableKind } from './kind.ts'

const kinds = new Map<string, NoteableKind>()

/**
 * Makes a kind of noteable known, before the server is built: routes, consumers of facts and queries go over all kinds.
 * @returns what takes it away again, for tests.
 * @throws when there is one of that name or type.
 */
export function registerNoteable(kind: NoteableKind): Disposable {
  const taken = noteableKinds().find(({ name, type }) => name === kind.name || type === kind.type)
  if (taken !== undefined) throw new Error(`There are noteables ${taken.name} (${taken.type}) already`)
  kinds.set(kind.name, kind)
  return { [Symbol.dispose]: () => void kinds.delete(kind.name) }
}

/** All kinds, in the order in which they were registered. */
export const noteableKinds = (): readonly NoteableKind[] => [...kinds.values()]

/** The kind that is so called on the wire and in facts. */
export const kindOfType = (type: string): NoteableKind | undefined =>
  noteableKinds().find((kind) => kind.type === type)

/** For the `extensions` of the feature whose kind it is. */
export const noteable = (kind: NoteableKind): Extension => ({ install: () => void registerNoteable(kind) })
