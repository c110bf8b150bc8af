import { reads, writes } from '#platform/access/route-access.ts'
import type { NoteableKind } from './kind.ts'

/** How routes of what hangs on a kind are guarded. */
export function guardsOf({ container, tier }: NoteableKind) {
  const area = tier === undefined ? {} : { tier }
  return {
    /** Reading notes needs a user, also where the rest is public. */
    reading: reads(container.subject('read'), area),
    readingByAnybody: reads(container.subject('read'), { ...area, anonymous: true }),
    writing: writes(container.subject('createNote'), area),
    awarding: writes(container.subject('award'), area),
  }
}
