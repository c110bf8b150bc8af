import { pipeline } from 'node:stream/promises'
import type pg from 'pg'
import { type DatabaseAddress, openPool } from '#platform/db/pool.ts'
import { vacuumIn } from './plans.ts'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'

/** How far apart the ids of a row and its copies are. */
const APART = 10_000_000

interface Column {
  readonly name: string
  readonly type: string
  /** Whether rows differ by it, and not by an id: it belongs to a unique index without ids. */
  readonly unique: boolean
  /** Whether it is an id, of this row or of another. */
  readonly id: boolean
}

interface Table {
  readonly name: string
  /** Whether it has a constraint that PostgreSQL checks at the end; then rows that are there already can't be left out. */
  readonly deferrable: boolean
  readonly columns: readonly Column[]
}

/** Copies the rows of all tables into an empty database of the same schema. */
export async function copyRows(source: DatabaseAddress, target: DatabaseAddress): Promise<void> {
  const [from, to] = [openPool(source, 1, { pipeline: false }), openPool(target, 1, { pipeline: false })]
  const [reader, writer] = [await from.connect(), await to.connect()]
  try {
    await reader.query('begin isolation level repeatable read')
    await writer.query('begin; set local session_replication_role = replica')
    for (const { name, columns } of await tablesOf(writer)) {
      const names = columns.map((column) => `"${column.name}"`).join(', ')
      await writer.query(`delete from ${name}`)
      const rows = reader.query(copyTo(`copy (select ${names} from ${name}) to stdout`))
      await pipeline(rows, writer.query(copyFrom(`copy ${name} (${names}) from stdin`)))
    }
    await writer.query('commit')
    await reader.query('rollback')
  } finally {
    reader.release()
    writer.release()
    await Promise.all([from.end(), to.end()])
  }
}

/** Tables that have few rows in any instance. */
const FEW = ['settings', 'feature_switches', 'licenses']

/**
 * Makes every table large that has rows, by copies which refer to copies of what their originals refer to: to somebody in one
 * place, they are the rows of others. Digests and names get other values where they must differ.
 * @returns how many rows were added to each table
 */
export async function multiply(pool: pg.Pool, rows: number): Promise<Map<string, number>> {
  const client = await pool.connect()
  const added = new Map<string, number>()
  try {
    await client.query('set session_replication_role = replica')
    for (const table of await tablesOf(client)) {
      if (FEW.includes(table.name)) continue
      const { rowCount } = await client.query(copiesOf(table, rows))
      added.set(table.name, rowCount ?? 0)
    }
  } finally {
    client.release(true)
  }
  await vacuumIn(pool)
  return added
}

function copiesOf({ name, columns, deferrable }: Table, rows: number): string {
  const names = columns.map((column) => `"${column.name}"`).join(', ')
  const values = columns.map((column) => copied(column)).join(', ')
  const times = `case size.n when 0 then 0 else ceil(${rows}::numeric / size.n) end`
  return `insert into ${name} (${names}) overriding system value
    select ${values} from ${name} r, (select count(*) as n from ${name}) size,
      generate_series(1, ${times}) as k
    ${deferrable ? '' : 'on conflict do nothing'}`
}

function copied({ name, type, unique, id }: Column): string {
  const value = `r."${name}"`
  if (type === 'bigint' && id) return `${value} + k * ${APART}`
  if (type === 'bigint[]')
    return `(select array_agg(x + k * ${APART} order by o) from unnest(${value}) with ordinality as u (x, o))`
  if (!unique) return value
  if (type === 'text') {
    const digest = `regexp_replace(${value}, '[0-9a-f]{32}(?=(\\.git)?$)', md5(k || ${value}))`
    return `case when ${value} ~ '[0-9a-f]{32}(\\.git)?$' then ${digest} else ${value} || '-' || k end`
  }
  if (type === 'bytea') return `substr(sha512(${value} || k::text::bytea), 1, length(${value}))`
  if (type === 'uuid') return 'gen_random_uuid()'
  return value
}

/** All tables but those that PostgreSQL or migrations keep, with columns that can be written. */
async function tablesOf(client: pg.ClientBase): Promise<Table[]> {
  const { rows } = await client.query<Table>(`
    with columns as (
      select a.*, format_type(a.atttypid, null) as type, a.attname = 'id' or a.attname like '%\\_id' or exists (
          select 1 from pg_constraint f where f.conrelid = a.attrelid and f.contype = 'f' and a.attnum = any(f.conkey)) as id
      from pg_attribute a where a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    ), keys as (
      select x.indrelid, x.indkey, regexp_replace(pg_get_indexdef(x.indexrelid), '\\s(WHERE|INCLUDE)\\M.*', '') as definition
      from pg_index x where x.indisunique and not exists (
        select 1 from columns a where a.attrelid = x.indrelid and a.attnum = any(x.indkey) and a.id and a.type in ('bigint', 'bigint[]'))
    )
    select format('%I', c.relname) as name, (
      select json_agg(json_build_object('name', a.attname, 'type', a.type, 'id', a.id, 'unique', exists (
        select 1 from keys x where x.indrelid = c.oid and (a.attnum = any(x.indkey) or x.definition ~ ('\\m' || a.attname || '\\M')))) order by a.attnum)
      from columns a where a.attrelid = c.oid) as columns, exists (
        select 1 from pg_constraint d where d.conrelid = c.oid and d.contype = 'u' and d.condeferrable) as deferrable
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'public' and c.relkind in ('r', 'p') and not c.relispartition and c.relname not like 'migration%'
    order by c.relname`)
  return rows
}
