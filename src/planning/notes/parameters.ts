import { type Static, Type } from 'typebox'
import { orderParameters } from '#platform/http/order.ts'
import { oneOf } from '#platform/http/schema.ts'
import type { NoteableKind } from '#planning/noteables/kind.ts'
import { byNoteable, noteId } from '#planning/noteables/paths.ts'
import { activityFilters, noteOrder } from './queries.ts'

export const byNote = (kind: NoteableKind) => byNoteable(kind, { note_id: noteId })

const paging = Type.Object(orderParameters(noteOrder))

const filters = {
  activity_filter: Type.Optional(
    oneOf(activityFilters, {
      description: '`only_comments` for comments, `only_activity` for system notes; all notes by default.',
    }),
  ),
}

type Filter = Static<typeof paging> & Partial<{ activity_filter: (typeof activityFilters)[number] }>

/** The parameters of the list of notes on that kind of noteable. */
export function noteFilter(kind: NoteableKind) {
  const wanted = kind.notes.list.map((name) => [name, filters[name]])
  return Type.Unsafe<Filter>(Type.Object({ ...paging.properties, ...Object.fromEntries(wanted) }))
}
