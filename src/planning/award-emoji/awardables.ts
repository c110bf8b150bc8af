import { sql } from 'kysely'
import type { Tx } from '#platform/db/transaction.ts'
import type { NoteableKind } from '#planning/noteables/kind.ts'

/** Something that takes awards. */
export interface Awardable {
  /** `awardable_type` in the API. */
  readonly type: string
  /** The column of `award_emoji` that names it. */
  readonly column: 'noteable_id' | 'note_id'
  readonly id: number
  /** The project, group or user that it belongs to. */
  readonly namespace_id: number
  /** Updates counters when awards of a name are given (`by` is 1) or taken back (-1). */
  readonly account: (tx: Tx, name: string, by: 1 | -1) => Promise<void>
}

interface Awarded {
  readonly id: number
  readonly namespace_id: number
}

/** A noteable. An award does not count as a change of it. */
export const awardableNoteable = (
  { type, table, countsVotes }: Pick<NoteableKind, 'type' | 'table' | 'countsVotes'>,
  { id, namespace_id }: Awarded,
): Awardable => ({
  type,
  column: 'noteable_id',
  id,
  namespace_id,
  account: async (tx, name, by) => {
    const column = votes.get(name)
    if (column === undefined || !countsVotes) return
    // Adds to the counter, so that simultaneous votes all count.
    await sql`
      update ${sql.table(table)} set ${sql.ref(column)} = ${sql.ref(column)} + ${by} where id = ${id}`.execute(
      tx.db,
    )
  },
})

const votes = new Map([
  ['thumbsup', 'upvotes'],
  ['thumbsdown', 'downvotes'],
])

/** A note. An award counts as a change of it, so that clients that follow notes see it. */
export const awardableNote = ({ id, namespace_id }: Awarded): Awardable => ({
  type: 'Note',
  column: 'note_id',
  id,
  namespace_id,
  account: async (tx) => {
    await sql`update notes set updated_at = ${tx.now} where id = ${id}`.execute(tx.db)
  },
})
