import { reads, writes } from '#platform/access/route-access.ts'
import type { NoteableKind } from './kind.ts'

/** How routes that read and write the notes of a kind are guarded; both need a user, also where the rest is public. */
export function guardsOf({ container, tier }: NoteableKind) {
  const area = tier === undefined ? {} : { tier }
  return {
    reading: reads(container.subject('read'), area),
    writing: writes(container.subject('createNote'), area),
  }
}
