import { sql } from 'kysely'
import { type Params, statement } from '#platform/db/statement.ts'
import type { Tx } from '#platform/db/transaction.ts'

/** The number of added comments; negative when they were removed. */
export interface NoteCount {
  readonly open: number
  readonly internal: number
}

export const countOf = (internal: boolean, by: 1 | -1): NoteCount =>
  internal ? { open: 0, internal: by } : { open: by, internal: 0 }

/** Updates the counters of comments and `updated_at` of a noteable. Whoever else does so waits until the transaction ends. */
export async function countNotes(tx: Tx, id: number, count: NoteCount): Promise<void> {
  await counting(tx.db, { ...count, id, now: tx.now })
}

interface Counting extends NoteCount {
  readonly id: number
  readonly now: string
}

const counting = statement({
  name: 'count notes',
  build: (_, param: Params<Counting>) => sql`
      update noteables set updated_at = ${param('now')}, notes_count = notes_count + ${param('open')},
        internal_notes_count = internal_notes_count + ${param('internal')}
      where id = ${param('id')}`,
  deferred: true,
})
