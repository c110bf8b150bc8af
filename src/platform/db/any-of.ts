import { type RawBuilder, sql } from 'kysely'

/**
 * Rows whose column is one of these ids. The ids are one parameter, so the text does not depend on how many there
 * are.
 */
export function isAnyOf(column: string, ids: Iterable<number>): RawBuilder<boolean> {
  return sql<boolean>`${sql.ref(column)} = any(${[...ids]}::bigint[])`
}
