import { project, reads, writes } from '#platform/access/route-access.ts'
import type { BuiltKind } from './built.ts'
import { type NoteableEntry, noteables } from './noteables.ts'

/** How routes that read and write the notes of a kind are guarded; both need a user, also where the rest is public. */
export function guardsOf(kind: BuiltKind) {
  const { abilities } = noteables[kind]
  const { tier }: NoteableEntry = noteables[kind]
  const area = tier === undefined ? {} : { tier }
  return {
    reading: reads(project(abilities.read), area),
    writing: writes(project(abilities.createNote), area),
  }
}
