import { sql } from 'kysely'
import type { Db } from '#platform/db/pool.ts'

/** A column that refers to `files.id`. */
export interface Reference {
  readonly table: string
  readonly column: string
}

/** All columns that refer to files, read from the catalogue's foreign keys, so that no table is forgotten. */
export async function referencesToFiles(db: Db): Promise<readonly Reference[]> {
  const { rows } = await sql<Reference>`
    select t.relname as table, a.attname as column
    from pg_constraint c
      join pg_class t on t.oid = c.conrelid
      join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
    where c.contype = 'f' and c.confrelid = 'public.files'::regclass and c.conparentid = 0
    order by 1, 2`.execute(db)
  return rows
}

/** Whether nothing refers to the file `f` of a statement. */
export function isUnreferenced(references: readonly Reference[]) {
  const conditions = references.map(
    ({ table, column }) =>
      sql`not exists (select 1 from ${sql.table(table)} where ${sql.ref(column)} = f.id)`,
  )
  return conditions.length === 0 ? sql<boolean>`true` : sql<boolean>`${sql.join(conditions, sql` and `)}`
}
