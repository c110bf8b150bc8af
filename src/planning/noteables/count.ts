import { type RawBuilder, sql } from 'kysely'
import { type Param, prepare } from '#platform/db/prepare.ts'
import type { Tx } from '#platform/db/transaction.ts'

/** The number of added comments; negative when they were removed. */
export interface NoteCount {
  readonly open: number
  readonly internal: number
}

export const countOf = (internal: boolean, by: 1 | -1): NoteCount =>
  internal ? { open: 0, internal: by } : { open: by, internal: 0 }

/** What {@link counting} adds to the counters of a noteable, and when. */
export interface Counting extends NoteCount {
  readonly id: number
  readonly now: string
}

/** Updates the counters of comments and `updated_at` of a noteable. */
export const counting = ({ id, open, internal, now }: Counting): RawBuilder<never> => sql<never>`
  update noteables set updated_at = ${now}, notes_count = notes_count + ${open},
    internal_notes_count = internal_notes_count + ${internal}
  where id = ${id}`

/** Does so as a statement of its own, for a locked noteable. */
export async function countNotes(tx: Tx, id: number, count: NoteCount): Promise<void> {
  await counted(tx.db, { ...count, id, now: tx.now })
}

const counted = prepare(
  (db, param: Param<Counting>) => {
    const count = { open: param('open'), internal: param('internal') }
    const query = counting({ id: param('id'), now: param('now'), ...count })
    return { compile: () => query.compile(db) }
  },
  { deferred: true },
)
