import { type RawBuilder, sql } from 'kysely'
import { storableJson } from './json.ts'
import type { DB } from './schema.ts'

/**
 * Rows for a statement that takes all of them as one value. Their fields are columns of the table, so the database knows
 * the types; a `bytea` is `\x` and hexadecimal digits. Columns that a row lacks are null.
 */
export const recordset = <Table extends keyof DB>(
  table: Table,
  rows: readonly { readonly [Column in keyof DB[Table]]?: unknown }[],
): RawBuilder<unknown> =>
  // As `json`, which keeps the text of values for columns of that type.
  sql`json_populate_recordset(null::${sql.table(table)}, ${storableJson(rows)}::json)`

/** Inserts into a table the rows of a `jsonb` array, which have these columns. */
export const insertRecords = (
  table: keyof DB,
  columns: RawBuilder<unknown>,
  rows: RawBuilder<unknown>,
) => sql`
  insert into ${sql.table(table)} (${columns})
  select ${columns} from jsonb_populate_recordset(null::${sql.table(table)}, ${rows})`
