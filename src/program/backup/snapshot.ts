import { setTimeout as pause } from 'node:timers/promises'
import { Client, escapeIdentifier } from 'pg'
import { type CopyToStreamQuery, to as copyTo } from 'pg-copy-streams'
import { locks, takeSessionLock } from '#platform/db/locks.ts'
import type { DatabaseAddress } from '#platform/db/pool.ts'
import { CHECK } from '#platform/db/secrets.ts'
import { packageVersion } from '#platform/package.ts'
import { Refused } from '#program/cli/command.ts'
import { type BackupTable, FORMAT, type Header, streamNames } from './header.ts'
import type { Part } from './write-archive.ts'

/** Tables whose rows are written when the schema is made. */
export const MADE_BY_MIGRATIONS = ['public.migrations', 'graphile_worker.migrations']

/**
 * Tables that tell of running processes, of folders, or of bytes that a restored instance does not have.
 */
const LEFT_OUT = [
  ...MADE_BY_MIGRATIONS,
  'public.leases',
  'public.job_workers',
  'public.file_leftovers',
  'public.repository_storages',
]

const SCHEMAS = ['public', 'partitions', 'graphile_worker']

export const quotedTableName = ({ schema, name }: Pick<BackupTable, 'schema' | 'name'>): string =>
  `${escapeIdentifier(schema)}.${escapeIdentifier(name)}`

export const columnsOf = ({ columns }: BackupTable): string =>
  columns.map((column) => escapeIdentifier(column)).join(', ')

/** A file that the snapshot names. */
export interface SnapshotFile {
  readonly id: string
  readonly storage: 'disk' | 's3'
  readonly key: string
  readonly sha256: string
}

/** A repository that the snapshot names. */
export interface SnapshotRepository {
  readonly id: number
  readonly storage: string
  readonly relative_path: string
  readonly default_branch: string | null
  /** Without one it is about to be removed. */
  readonly has_owner: boolean
  /** The changes of references that the snapshot knows of. */
  readonly changes: readonly number[]
}

const FILES = `
  select id, storage, key, encode(sha256, 'hex') as sha256 from files where sha256 is not null order by id`
const REPOSITORIES = `
  select r.id::int8, storage, relative_path, default_branch,
    num_nonnulls(project_id, group_id, snippet_id) > 0 as has_owner, coalesce(c.ids, '{}') as changes
  from repositories r left join
    (select repository_id, array_agg(id::text) as ids from reference_changes group by 1) c on c.repository_id = r.id
  where made_at is not null order by r.id`

/**
 * The database as of one moment. As long as it is open, nothing is removed that it names; there can be only one.
 * Migrations wait while the tables are read.
 */
export class Snapshot {
  readonly #client: Client
  readonly #leftOut: readonly string[]

  private constructor(client: Client, leftOut: readonly string[]) {
    this.#client = client
    this.#leftOut = leftOut
  }

  /** @throws {Refused} when another backup runs. */
  static async open(address: DatabaseAddress, leftOut: readonly string[] = LEFT_OUT): Promise<Snapshot> {
    const client = new Client({
      ...address,
      application_name: 'forgelet backup',
      connectionTimeoutMillis: 5_000,
    })
    client.on('error', () => {})
    await client.connect()
    try {
      await client.query(
        "set statement_timeout = 0; set lock_timeout = 0; set idle_in_transaction_session_timeout = 0; set timezone = 'UTC'; set datestyle = 'ISO'; set client_encoding = 'UTF8'; set bytea_output = 'hex'; set extra_float_digits = 1; set intervalstyle = 'postgres'",
      )
      await holdRemovals(client)
      await takeSessionLock(client, 'migrations')
      await begin(client, leftOut)
      return new Snapshot(client, leftOut)
    } catch (error) {
      await client.end().catch(() => {})
      throw error
    }
  }

  /** What the backup says of itself. */
  async header(secretKey: Header['secret_key']): Promise<Header> {
    const one = async <T extends object>(sql: string): Promise<T> => {
      const { rows } = await this.#client.query<T>(sql)
      const [row] = rows
      if (row === undefined) throw new Error(`No row: ${sql}`)
      return row
    }
    const facts = await one<{ created_at: string; queue: number; files: number; repositories: number }>(`
      select to_char(now(), 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as created_at,
        (select max(id)::int4 from graphile_worker.migrations) as queue,
        (select count(*)::int4 from files where sha256 is not null) as files,
        (select count(*)::int4 from repositories where made_at is not null) as repositories`)
    const check = await this.#client.query<{ sealed: Buffer }>('select sealed from secrets where name = $1', [
      CHECK,
    ])
    const migrations = await this.#client.query<{ file: string }>(
      'select file from migrations order by number',
    )
    const partitions = await this.#client.query<Header['partitions'][number]>(`
      select c.oid::regclass::text as name, i.inhparent::regclass::text as parent, pg_get_expr(c.relpartbound, c.oid) as bound
      from pg_class c join pg_inherits i on i.inhrelid = c.oid where c.relkind = 'r' and c.relispartition order by 1`)
    return {
      format: FORMAT,
      program: packageVersion(),
      created_at: facts.created_at,
      migrations: migrations.rows.map(({ file }) => file),
      queue: facts.queue,
      secret_key: secretKey,
      key_check: check.rows[0]?.sealed.toString('base64') ?? null,
      tables: await tablesOf(this.#client, this.#leftOut),
      partitions: partitions.rows,
      files: facts.files,
      repositories: facts.repositories,
    }
  }

  /** The rows of the tables, in PostgreSQL's text form. */
  async *tables({ tables }: Header): AsyncGenerator<Part> {
    for (const table of tables) {
      yield { name: `${streamNames.tables}${table.schema}.${table.name}`, content: this.copy(table) }
    }
  }

  /** The rows of one table. */
  copy(table: BackupTable): CopyToStreamQuery {
    return this.#client.query(copyTo(`copy ${quotedTableName(table)} (${columnsOf(table)}) to stdout`))
  }

  /** Where the sequences are. Read after the tables: no row has a number beyond. */
  async sequences(): Promise<string> {
    const { rows } = await this.#client.query<{ name: string; last: string }>(
      `select format('%I.%I', schemaname, sequencename) as name, last_value::text as last from pg_sequences
      where schemaname = any($1) and last_value is not null order by 1`,
      [SCHEMAS],
    )
    return JSON.stringify(rows)
  }

  /** Ends the transaction. The lists of files and repositories stay, and removals go on waiting. */
  async endTables(): Promise<void> {
    await this.#client.query(`declare all_files cursor with hold for ${FILES}`)
    await this.#client.query(`declare all_repositories cursor with hold for ${REPOSITORIES}`)
    await this.#client.query('commit')
    await this.#client.query('select pg_advisory_unlock($1)', [locks.migrations])
  }

  async *files(): AsyncGenerator<SnapshotFile> {
    yield* this.#fetch<SnapshotFile>('all_files')
  }

  async *repositories(): AsyncGenerator<SnapshotRepository> {
    type Row = Omit<SnapshotRepository, 'id' | 'changes'> & { id: string; changes: string[] }
    for await (const row of this.#fetch<Row>('all_repositories')) {
      yield { ...row, id: Number(row.id), changes: row.changes.map(Number) }
    }
  }

  async close(): Promise<void> {
    await this.#client.end().catch(() => {})
  }

  async *#fetch<T extends object>(cursor: string): AsyncGenerator<T> {
    for (;;) {
      const { rows } = await this.#client.query<T>(`fetch 500 from ${cursor}`)
      if (rows.length === 0) return
      yield* rows
    }
  }
}

/** Tries for a while: jobs that remove something have the lock for an instant. @throws {Refused} */
async function holdRemovals(client: Client): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [
      locks.removals,
    ])
    if (rows[0]?.taken === true) return
    if (tries === 30) throw new Refused('another backup of this instance is under way')
    await pause(100)
  }
}

/** Begins the transaction. Its tables are locked before its moment, so that none is dropped in between. */
async function begin(client: Client, leftOut: readonly string[]): Promise<void> {
  for (;;) {
    const before = await tablesOf(client, leftOut)
    await client.query('begin isolation level repeatable read')
    try {
      await client.query(`lock table ${before.map(quotedTableName).join(', ')} in access share mode`)
      if (JSON.stringify(await tablesOf(client, leftOut)) === JSON.stringify(before)) return
    } catch (error) {
      // 42P01: a partition has gone in between.
      if (!(error instanceof Error && 'code' in error && error.code === '42P01')) throw error
    }
    await client.query('rollback')
  }
}

async function tablesOf(client: Client, leftOut: readonly string[]): Promise<BackupTable[]> {
  const { rows } = await client.query<BackupTable>(
    `select n.nspname as schema, c.relname as name,
      array_agg(a.attname::text order by a.attnum) filter (where a.attgenerated = '') as columns
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
      join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relkind = 'r' and n.nspname = any($1) and not (n.nspname || '.' || c.relname) = any($2)
    group by 1, 2 order by 1, 2`,
    [SCHEMAS, leftOut],
  )
  return rows
}
