import { type Static, Type } from 'typebox'
import { entity } from '#platform/http/schema.ts'
import type { Noteable } from '#planning/noteables/find-noteable.ts'
import type { NoteableKind } from '#planning/noteables/kind.ts'
import { noteOn, type NoteRow, presentNotes } from '#planning/notes/entity.ts'
import type { SingleNote } from '#planning/notes/queries.ts'

/** A discussion and its notes that the viewer may see, oldest first. */
export interface DiscussionRow {
  readonly id: Buffer
  readonly notes: readonly NoteRow[]
}

/** A discussion on this kind of noteable, as the API presents it. A single note is one, too. */
function makeDiscussion(kind: NoteableKind) {
  return entity(`${kind.type.replace(/\W/g, '')}Discussion`, {
    id: Type.String({ description: '40 hexadecimal digits.' }),
    individual_note: Type.Boolean({
      description: 'Whether it is a single note: nobody replied, and it was not started as a discussion.',
    }),
    notes: Type.Array(noteOn(kind)),
  })
}

type Discussion = Static<ReturnType<typeof makeDiscussion>>

const entities = new WeakMap<NoteableKind, ReturnType<typeof makeDiscussion>>()

export function discussionOn(kind: NoteableKind): ReturnType<typeof makeDiscussion> {
  const made = entities.get(kind) ?? makeDiscussion(kind)
  entities.set(kind, made)
  return made
}

export function presentDiscussion(
  { id, notes }: DiscussionRow,
  on: Noteable,
  audience: Parameters<typeof presentNotes>[2],
): Discussion {
  return {
    id: id.toString('hex'),
    individual_note: notes[0]?.type === null,
    notes: presentNotes(notes, on, audience),
  }
}

/** Groups notes by their discussion. The notes of each discussion must be adjacent. */
export function discussionsOf(notes: readonly SingleNote[]): DiscussionRow[] {
  const byId = Map.groupBy(notes, ({ discussion_id }) => discussion_id.toString('hex'))
  return [...byId.values()].flatMap((some) => {
    const [first] = some
    return first === undefined ? [] : [{ id: first.discussion_id, notes: some }]
  })
}
