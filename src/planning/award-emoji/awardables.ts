import { type RawBuilder, sql } from 'kysely'
import type { Tx } from '#platform/db/transaction.ts'
import { noteables } from '#planning/noteables/noteables.ts'

/** What awards can be on, with how it keeps account of them. */
interface Awardable {
  /** `awardable_type` on the wire. */
  readonly type: string
  /** The column of `award_emoji` that names it. */
  readonly column: 'noteable_id' | 'note_id'
  /** The statement that follows from `by` awards (1 or -1) of a name; none when nothing does. */
  readonly account?: (tx: Tx, id: number, name: string, by: 1 | -1) => RawBuilder<unknown> | undefined
}

/** An award does not count as a change of an issue, but as one of a note: clients that follow notes see it. */
export const awardables = {
  issue: {
    type: noteables.issue.type,
    column: 'noteable_id',
    account: countVotes('issues'),
  },
  note: {
    type: 'Note',
    column: 'note_id',
    account: (tx, id) => sql`update notes set updated_at = ${tx.now} where id = ${id}`,
  },
} as const satisfies Record<string, Awardable>

export type AwardableKind = keyof typeof awardables
export type AwardableType = (typeof awardables)[AwardableKind]['type']

export const awardableTypes = Object.values(awardables).map(({ type }) => type)

/** Counts by addition, so that votes given at the same moment all count. */
function countVotes(table: 'issues'): NonNullable<Awardable['account']> {
  const columns = new Map([
    ['thumbsup', 'upvotes'],
    ['thumbsdown', 'downvotes'],
  ])
  return (_, id, name, by) => {
    const column = columns.get(name)
    if (column === undefined) return undefined
    return sql`update ${sql.table(table)} set ${sql.ref(column)} = ${sql.ref(column)} + ${by} where id = ${id}`
  }
}

/** Something that awards are on. */
export interface Awarded {
  readonly id: number
  /** Where it is: a project's or group's row in `namespaces`. */
  readonly namespace_id: number
}
