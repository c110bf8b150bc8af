import { sql } from 'kysely'
import type { Db } from './pool.ts'

/** A column that refers to rows of another table, and what happens to its row when they are deleted. */
export interface ForeignKey {
  readonly table: string
  readonly column: string
  /** The columns that identify a row of the table. */
  readonly primaryKey: readonly string[]
  /** What PostgreSQL does: delete the row, clear the column, or refuse. */
  readonly onDelete: 'cascade' | 'set null' | 'refuse'
}

/** All foreign keys of the schema, so that code that removes rows need not know the tables of every area. */
export interface ForeignKeys {
  /** The keys that refer to a table; first those with the most tables below them. */
  to(table: string): readonly ForeignKey[]
  /**
   * The table whose row a row of this table is a part of, under the same id: an issue is a part of its noteable. The
   * table itself where there is none.
   */
  wholeOf(table: string): string
}

/** Whether a row of the key's table is a part of the row that it refers to, and has its id. */
export const isPart = ({ column, primaryKey, onDelete }: ForeignKey): boolean =>
  onDelete === 'cascade' && column === 'id' && primaryKey.length === 1 && primaryKey[0] === 'id'

interface Found extends ForeignKey {
  readonly parent: string
  /** The number of columns of a foreign key, and PostgreSQL's abbreviation of what it does. */
  readonly width: number
  readonly action: string
}

/**
 * Reads the foreign keys from the catalogue.
 * @throws when one cannot be followed: it has several columns, it would make deletions circular, or its table has no
 * primary key.
 */
export async function readForeignKeys(db: Db): Promise<ForeignKeys> {
  const { rows } = await sql<Found>`
    select child.relname as "table", a.attname as "column", parent.relname as parent, cardinality(c.conkey) as width,
      c.confdeltype as action,
      case c.confdeltype when 'c' then 'cascade' when 'n' then 'set null' else 'refuse' end as "onDelete",
      array(select k.attname::text from pg_index i join pg_attribute k on k.attrelid = i.indrelid and k.attnum = any(i.indkey)
        where i.indrelid = c.conrelid and i.indisprimary order by k.attnum) as "primaryKey"
    from pg_constraint c
      join pg_class child on child.oid = c.conrelid
      join pg_class parent on parent.oid = c.confrelid
      join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
    -- Those of partitions are their parent's.
    where c.contype = 'f' and c.conparentid = 0 and c.connamespace = 'public'::regnamespace
    order by child.relname, a.attnum`.execute(db)
  for (const key of rows) assertFollowed(key)
  const depths = depthsOf(rows)
  const sorted = rows.toSorted((one, other) => (depths.get(other.table) ?? 0) - (depths.get(one.table) ?? 0))
  const byParent = Map.groupBy(sorted, ({ parent }) => parent)
  const wholes = new Map(rows.filter(isPart).map(({ table, parent }) => [table, parent]))
  return { to: (table) => byParent.get(table) ?? [], wholeOf: (table) => wholes.get(table) ?? table }
}

function assertFollowed({ table, column, width, action, primaryKey }: Found): void {
  const named = `The foreign key ${table}.${column}`
  if (width > 1) throw new Error(`${named} has several columns: rows cannot be removed along it in batches`)
  if (action === 'd') throw new Error(`${named} sets a default, which cannot be done in batches`)
  if (primaryKey.length === 0) throw new Error(`${named} is of a table without a primary key`)
}

/** How many levels of deletions there may be below each table. */
function depthsOf(keys: readonly Found[]): ReadonlyMap<string, number> {
  const depths = new Map<string, number>()
  const visit = (table: string, path: readonly string[]): number => {
    if (path.includes(table)) throw new Error(`Deletions go in a circle: ${[...path, table].join(', ')}`)
    const known = depths.get(table)
    if (known !== undefined) return known
    const below = keys.filter(({ parent, onDelete }) => parent === table && onDelete === 'cascade')
    const depth = below.reduce((most, key) => Math.max(most, 1 + visit(key.table, [...path, table])), 0)
    depths.set(table, depth)
    return depth
  }
  for (const { table, parent } of keys) {
    visit(table, [])
    visit(parent, [])
  }
  return depths
}
