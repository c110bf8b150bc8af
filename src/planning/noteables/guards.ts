import { reads, writes } from '#platform/access/route-access.ts'
import type { NoteableKind } from './kind.ts'

/** The guards of a kind's routes. */
export function guardsOf({ container, tier }: NoteableKind) {
  const area = tier === undefined ? {} : { tier }
  return {
    /** Reading notes takes a signed-in user, even where the rest is public. */
    reading: reads(container.subject('read'), area),
    readingByAnybody: reads(container.subject('read'), { ...area, anonymous: true }),
    writing: writes(container.subject('createNote'), area),
    awarding: writes(container.subject('award'), area),
  }
}
