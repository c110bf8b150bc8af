import { type RawBuilder, sql } from 'kysely'

/** Rows in which one of the columns contains the term, whatever the case of its letters. */
export function contains(columns: readonly string[], term: string): RawBuilder<boolean> {
  const pattern = `%${term.replace(/[\\%_]/g, '\\$&')}%`
  // Columns that are ordered have the collation "C", which folds ASCII alone.
  const tests = columns.map((column) => sql`${sql.ref(column)} collate "default" ilike ${pattern}`)
  return sql<boolean>`(${sql.join(tests, sql` or `)})`
}
