import { reads, withNested, writes } from '#platform/access/route-access.ts'
import type { NoteableRight } from './containers.ts'
import { nestedNoteable } from './find-noteable.ts'
import type { NoteableKind } from './kind.ts'

/** The guards of a kind's routes. */
export function guardsOf(kind: NoteableKind) {
  const { container, tier, unrecorded, usersOnly = false, notesForJobs } = kind
  const area = tier === undefined ? {} : { tier }
  const subject = (right: NoteableRight) =>
    unrecorded === undefined
      ? withNested(container.subject(right), nestedNoteable(kind))
      : container.subject(right)
  return {
    /** Reading notes takes a signed-in user, even where the rest is public. */
    reading: reads(subject('read'), area),
    readingNotes: reads(subject('read'), { ...area, ...(notesForJobs && { jobToken: true }) }),
    readingByAnybody: reads(subject('read'), { ...area, anonymous: !usersOnly }),
    writing: writes(subject('createNote'), area),
    awarding: writes(subject('award'), area),
  }
}
