import { type RawBuilder, sql } from 'kysely'

/**
 * A part of a statement, in parentheses, that inserts rows of a kind: gives each its noteable, from which its id comes already. The
 * statement may hold both in any order; PostgreSQL looks at foreign keys when it ends.
 * @param rows names the part that has inserted the rows and returns their `id`.
 * @param kind as the kind's object names it.
 * @param namespaceId of the project, group or person that the rows belong to.
 */
export const insertNoteables = (rows: string, kind: string, namespaceId: number): RawBuilder<object> => sql`
  (insert into noteables (id, kind, namespace_id) select id, ${kind}, ${namespaceId}::bigint from ${sql.table(rows)})`
