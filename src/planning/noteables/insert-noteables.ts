import { type RawBuilder, sql } from 'kysely'
import type { Operand } from '#platform/db/statement.ts'

/** What a new noteable has besides its id, as expressions or values. */
export interface NewNoteables {
  /** As the kind's object names it. */
  readonly kind: string
  /** Of the project, group or user to which the rows belong. */
  readonly namespaceId: Operand<number>
  readonly updatedAt: Operand<string>
  /** The noteable whose counters of comments a copy takes over. */
  readonly countsOf?: number
}

/**
 * A part of a statement, in parentheses, that inserts the noteables of a kind's rows. The rows take their ids from
 * their noteables. The statement may contain both in any order, because PostgreSQL checks foreign keys when it ends.
 * @param rows names the part that has inserted the rows and returns their `id`.
 */
export function insertNoteables(
  rows: string,
  { kind, namespaceId, updatedAt, countsOf }: NewNoteables,
): RawBuilder<object> {
  const count = (column: string) =>
    countsOf === undefined
      ? sql`0`
      : sql`(select o.${sql.ref(column)} from noteables o where o.id = ${countsOf})`
  return sql`
  (insert into noteables (id, kind, namespace_id, updated_at, notes_count, internal_notes_count)
    select id, ${kind}, ${namespaceId}::bigint, ${updatedAt}::timestamptz, ${count('notes_count')}, ${count('internal_notes_count')}
    from ${sql.table(rows)})`
}
