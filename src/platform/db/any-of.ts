import { type RawBuilder, sql } from 'kysely'

/** Rows whose column is one of some ids: one parameter, so that the text is the same however many there are. */
export function isAnyOf(column: string, ids: Iterable<number>): RawBuilder<boolean> {
  return sql<boolean>`${sql.ref(column)} = any(${[...ids]}::bigint[])`
}
