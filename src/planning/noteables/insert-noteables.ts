import { type RawBuilder, sql } from 'kysely'

/**
 * A part of a statement, in parentheses, that inserts the noteables of a kind's rows. The rows take their ids from
 * their noteables. The statement may contain both in any order, because PostgreSQL checks foreign keys when it ends.
 * @param rows names the part that has inserted the rows and returns their `id`.
 * @param kind as the kind's object names it.
 * @param namespaceId that of the project, group or user to which the rows belong.
 */
export const insertNoteables = (rows: string, kind: string, namespaceId: number): RawBuilder<object> => sql`
  (insert into noteables (id, kind, namespace_id) select id, ${kind}, ${namespaceId}::bigint from ${sql.table(rows)})`
