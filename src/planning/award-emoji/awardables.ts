import { sql } from 'kysely'
import type { Tx } from '#platform/db/transaction.ts'
import type { NoteableKind } from '#planning/noteables/kind.ts'

/** Something that awards are on. */
export interface Awardable {
  /** `awardable_type` on the wire. */
  readonly type: string
  /** The column of `award_emoji` that names it. */
  readonly column: 'noteable_id' | 'note_id'
  readonly id: number
  /** The project, group or person that it belongs to. */
  readonly namespace_id: number
  /** Keeps account of `by` awards (1 or -1) of a name. */
  readonly account: (tx: Tx, name: string, by: 1 | -1) => Promise<void>
}

interface Awarded {
  readonly id: number
  readonly namespace_id: number
}

/** A noteable. An award does not count as a change of it. */
export const awardableNoteable = (
  { type, counters }: NoteableKind,
  { id, namespace_id }: Awarded,
): Awardable => ({
  type,
  column: 'noteable_id',
  id,
  namespace_id,
  account: async (tx, name, by) => {
    const column = votes.get(name)
    if (column === undefined || !counters.votes) return
    // By addition, so that votes given at the same moment all count.
    await sql`
      update ${sql.table(counters.table)} set ${sql.ref(column)} = ${sql.ref(column)} + ${by} where id = ${id}`.execute(
      tx.db,
    )
  },
})

const votes = new Map([
  ['thumbsup', 'upvotes'],
  ['thumbsdown', 'downvotes'],
])

/** A note. An award counts as a change of it: clients that follow notes see it. */
export const awardableNote = ({ id, namespace_id }: Awarded): Awardable => ({
  type: 'Note',
  column: 'note_id',
  id,
  namespace_id,
  account: async (tx) => {
    await sql`update notes set updated_at = ${tx.now} where id = ${id}`.execute(tx.db)
  },
})
