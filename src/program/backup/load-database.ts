import { pipeline } from 'node:stream/promises'
import { Client, escapeIdentifier, escapeLiteral } from 'pg'
import { type CopyStreamQuery, from as copyFrom } from 'pg-copy-streams'
import { migrate } from '#platform/db/migrate.ts'
import { readMigrations } from '#platform/db/migration-files.ts'
import { type DatabaseAddress, openPool } from '#platform/db/pool.ts'
import { RESTORE_TABLE } from '#platform/db/restore-mark.ts'
import { migrateJobs } from '#platform/jobs/migrate.ts'
import { Refused } from '#program/cli/command.ts'
import { BackupDamaged } from './errors.ts'
import type { BackupTable, Header } from './header.ts'
import { columnsOf, quotedTableName } from './snapshot.ts'

/** @throws {Refused} when this program is older than the backup. */
export async function assertKnown({ migrations, program }: Header): Promise<void> {
  const known = (await readMigrations()).map(({ file }) => file)
  const unknown = migrations.find((file, index) => known[index] !== file)
  if (unknown !== undefined)
    throw new Refused(
      `the backup was made by a newer version (${program}, migration ${unknown}): restore it with that one, or a newer one`,
    )
}

/** Marks an empty database as one in which a restore has begun. @throws {Refused} when it is not empty */
export async function markDatabase(address: DatabaseAddress): Promise<void> {
  const pool = openPool(address, 1)
  try {
    const { rows } = await pool.query<{ name: string }>(
      `select c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname !~ '^pg_' and n.nspname <> 'information_schema' and c.relkind in ('r', 'p', 'v', 'm', 'S', 'f')
        and not exists (select 1 from pg_depend d where d.objid = c.oid and d.deptype = 'e')
      order by c.relname <> $1, 1 limit 1`,
      [RESTORE_TABLE],
    )
    const [found] = rows
    if (found?.name === RESTORE_TABLE)
      throw new Refused(
        'another restore to this database was interrupted or is under way: drop the database, create it again, and restore again',
      )
    if (found !== undefined)
      throw new Refused(`the database is not empty (it has ${found.name}): restore into a new one`)
    await pool.query(`create table public.${RESTORE_TABLE} (begun_at timestamptz not null default now())`)
  } finally {
    await pool.end()
  }
}

/** The database is whole from here on. */
export async function unmarkDatabase(address: DatabaseAddress): Promise<void> {
  const pool = openPool(address, 1)
  try {
    await pool.query(`drop table public.${RESTORE_TABLE}`)
  } finally {
    await pool.end()
  }
}

/** The schema as it was when the backup was made, and later as this program has it. */
export async function makeSchema(address: DatabaseAddress, upTo?: number): Promise<void> {
  const pool = openPool(address, 2)
  try {
    await migrate(pool, upTo === undefined ? {} : { upTo })
    await migrateJobs(pool)
  } finally {
    await pool.end()
  }
}

/** A database whose tables are filled in one transaction, without foreign keys and triggers meanwhile. */
export class DatabaseLoader {
  readonly #client: Client
  readonly #header: Header
  #foreignKeys: readonly string[] = []

  private constructor(client: Client, header: Header) {
    this.#client = client
    this.#header = header
  }

  static async begin(address: DatabaseAddress, header: Header): Promise<DatabaseLoader> {
    const client = new Client({
      ...address,
      application_name: 'forgelet restore',
      connectionTimeoutMillis: 5_000,
    })
    client.on('error', () => {})
    await client.connect()
    const loading = new DatabaseLoader(client, header)
    try {
      await loading.#begin()
    } catch (error) {
      await client.end().catch(() => {})
      throw error
    }
    return loading
  }

  async #begin(): Promise<void> {
    const client = this.#client
    await client.query(
      "set statement_timeout = 0; set lock_timeout = 0; set idle_in_transaction_session_timeout = 0; set timezone = 'UTC'; set datestyle = 'ISO'; set client_encoding = 'UTF8'; set intervalstyle = 'postgres'",
    )
    await client.query('begin')
    const { rows } = await client.query<{ queue: number }>(
      'select max(id)::int4 as queue from graphile_worker.migrations',
    )
    if ((rows[0]?.queue ?? 0) < this.#header.queue)
      throw new Refused('the backup was made by a newer version: its job queue is unknown to this one')
    await this.#makePartitions()
    await this.#dropForeignKeys()
    const tables = this.#header.tables.map(quotedTableName)
    await client.query(`truncate ${tables.join(', ')}`)
    for (const table of tables) await client.query(`alter table ${table} disable trigger user`)
  }

  async #makePartitions(): Promise<void> {
    const { rows } = await this.#client.query<{ name: string }>(
      'select oid::regclass::text as name from pg_class where relispartition and relkind = $1',
      ['r'],
    )
    const there = new Set(rows.map(({ name }) => name))
    const wanted = this.#header.partitions
    const kept = new Set(wanted.map(({ name }) => name))
    for (const name of there) if (!kept.has(name)) await this.#client.query(`drop table ${name}`)
    for (const { name, parent, bound } of wanted) {
      if (there.has(name)) continue
      assertSafe(name, parent, bound)
      await this.#client.query(`create table ${name} partition of ${parent} ${bound}`)
    }
  }

  async #dropForeignKeys(): Promise<void> {
    const { rows } = await this.#client.query<{ table: string; name: string; definition: string }>(`
      select conrelid::regclass::text as table, conname as name, pg_get_constraintdef(oid) as definition
      from pg_constraint where contype = 'f' and conparentid = 0 order by 1, 2`)
    for (const { table, name } of rows)
      await this.#client.query(`alter table ${table} drop constraint ${escapeIdentifier(name)}`)
    this.#foreignKeys = rows.map(
      ({ table, name, definition }) =>
        `alter table ${table} add constraint ${escapeIdentifier(name)} ${definition}`,
    )
  }

  /** The table of a stream. @throws {BackupDamaged} */
  tableOf(name: string): BackupTable {
    const table = this.#header.tables.find((one) => `${one.schema}.${one.name}` === name)
    if (table === undefined)
      throw new BackupDamaged(`the backup is damaged: nothing tells of the table ${name}`)
    return table
  }

  async load(table: BackupTable, content: AsyncIterable<Buffer>): Promise<void> {
    await pipeline(content, this.copy(table))
  }

  /** Takes the rows of one table. */
  copy(table: BackupTable): CopyStreamQuery {
    return this.#client.query(copyFrom(`copy ${quotedTableName(table)} (${columnsOf(table)}) from stdin`))
  }

  async setSequences(json: string): Promise<void> {
    const rows: unknown = JSON.parse(json)
    if (!Array.isArray(rows)) throw new BackupDamaged('the backup is damaged: its sequences cannot be read')
    for (const row of rows) {
      const { name, last }: Record<string, unknown> = Object(row)
      await this.#client.query('select setval($1::regclass, $2::int8)', [name, last])
    }
  }

  /** Ends the transaction. Nobody works on the jobs that a process had when the backup was made. */
  async commit(): Promise<void> {
    for (const table of this.#header.tables)
      await this.#client.query(`alter table ${quotedTableName(table)} enable trigger user`)
    for (const statement of this.#foreignKeys) await this.#client.query(statement)
    await this.#client.query(`
      update graphile_worker._private_jobs set locked_at = null, locked_by = null where locked_by is not null;
      update graphile_worker._private_job_queues set locked_at = null, locked_by = null where locked_by is not null`)
    await this.#client.query('commit')
    await this.#client.query('analyze')
  }

  async close(): Promise<void> {
    await this.#client.end().catch(() => {})
  }
}

/** These are parts of statements. They come from a file, whose maker need not be the one who restores it. */
function assertSafe(name: string, parent: string, bound: string): void {
  const word = /^(?:[a-z_][a-z0-9_]*\.)?[a-z_][a-z0-9_]*$/
  const value = String.raw`\(?'[0-9TZ :.+-]{1,40}'\)?`
  const bounds = new RegExp(String.raw`^(?:DEFAULT|FOR VALUES FROM \(${value}\) TO \(${value}\))$`)
  if (!word.test(name) || !word.test(parent) || !bounds.test(bound))
    throw new BackupDamaged(
      `the backup is damaged: the partition ${escapeLiteral(name)} is not one of this program`,
    )
}
