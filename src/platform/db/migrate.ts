import { setTimeout as pause } from 'node:timers/promises'
import { DatabaseError, escapeIdentifier } from 'pg'
import type pg from 'pg'
import { takeSessionLock } from './locks.ts'
import { type Migration, readMigrations, statementsOf } from './migration-files.ts'

/** The database has migrations that this program does not know, and one of them is incompatible with it. */
export class DatabaseTooNew extends Error {
  override readonly name = 'DatabaseTooNew'
  constructor(found: number, known: number) {
    super(
      `The database is at migration ${found}, this version of Forgelet knows ${known} and does not work with it. ` +
        `Start the newer version again, or restore a backup made by this one.`,
    )
  }
}

/** The oldest PostgreSQL that Forgelet is tested on. */
const OLDEST_SERVER = 15

/** The database server is older than the statements require. */
export class ServerTooOld extends Error {
  override readonly name = 'ServerTooOld'
  constructor(found: string) {
    super(
      `FORGELET_DATABASE_URL leads to PostgreSQL ${found}; Forgelet needs ${OLDEST_SERVER} or later. ` +
        'Upgrade that server, or leave the variable out to use the embedded one.',
    )
  }
}

/**
 * Milliseconds that a migration waits for a lock. All later requests queue behind it meanwhile. PostgreSQL looks for
 * deadlocks only after a longer time, so that the migration gives way and no request does.
 */
const LOCK_TIMEOUT = 500
/** How often it tries, and the milliseconds between tries, in which the others proceed. */
const TRIES = 60
const BETWEEN_TRIES = 1_000
/** PostgreSQL's `lock_not_available` and `deadlock_detected`. */
const IN_THE_WAY = new Set<string | undefined>(['55P03', '40P01'])

/** The number of the last migration that this program knows. */
export async function latestMigration(): Promise<number> {
  return (await readMigrations()).length
}

export interface MigrateOptions {
  /** The folder of the files; by default the program's own. */
  readonly folder?: URL
  /** The last migration to apply; by default all. */
  readonly upTo?: number
  /** Called once when another node is migrating. */
  readonly onWait?: () => void
}

/**
 * Brings the schema up to date with this program: numbered files, forward only, under one lock. Each file runs in its
 * own transaction unless its header says otherwise. An interrupted file starts over.
 *
 * @returns the names of the files applied now, in order; empty when there was nothing to do.
 * @throws {DatabaseTooNew} and {@link ServerTooOld} before anything is changed.
 */
export async function migrate(
  pool: pg.Pool,
  { folder, upTo, onWait }: MigrateOptions = {},
): Promise<string[]> {
  const known = await readMigrations(folder)
  const client = await pool.connect()
  try {
    await client.query('set statement_timeout = 0')
    await assertServer(client)
    await takeSessionLock(client, 'migrations', onWait && { onWait })
    const current = await currentMigration(client, known.length)
    const due = known.slice(current, upTo)
    // Nobody has been told of anything yet. If the machine stops, what is lost are the last migrations as wholes, which are
    // applied again.
    if (current === 0) await client.query('set synchronous_commit = off')
    if (due.length > 0) await prepareTable(client, known.slice(0, current))
    for (const migration of due) await apply(client, migration)
    return due.map(({ file }) => file)
  } finally {
    // Ends the session, and with it the lock and the setting.
    client.release(true)
  }
}

async function assertServer(client: pg.PoolClient): Promise<void> {
  const { rows } = await client.query<{ server_version: string }>('show server_version')
  const version = rows[0]?.server_version ?? 'of an unknown version'
  if (Number.parseInt(version) < OLDEST_SERVER) throw new ServerTooOld(version)
}

/**
 * The last migration that was applied; 0 for none.
 * @throws {DatabaseTooNew} unless all migrations unknown to this program are compatible with it.
 */
async function currentMigration(client: pg.PoolClient, known: number): Promise<number> {
  const { rows: columns } = await client.query<{ attname: string }>(
    "select attname from pg_attribute where attrelid = to_regclass('migrations') and attnum > 0",
  )
  if (columns.length === 0) return 0
  const hasHeaders = columns.some(({ attname }) => attname === 'works_with')
  const { rows } = await client.query<{ number: number; needs: number | null }>(
    `select coalesce(max(number), 0) as number,
      max(coalesce(${hasHeaders ? 'works_with' : 'null'}, number)) filter (where number > $1) as needs from migrations`,
    [known],
  )
  const { number, needs } = rows[0] ?? { number: 0, needs: null }
  if (needs !== null && needs > known) throw new DatabaseTooNew(number, known)
  return number
}

/** Databases of earlier versions have the table without `works_with`. */
async function prepareTable(client: pg.PoolClient, applied: readonly Migration[]): Promise<void> {
  await client.query('begin')
  await client.query(
    'create table if not exists migrations (number integer primary key, file text not null, applied_at timestamptz not null)',
  )
  await client.query('alter table migrations add column if not exists works_with integer')
  await client.query(
    `update migrations m set works_with = known.works_with
    from unnest($1::integer[], $2::integer[]) as known (number, works_with)
    where m.number = known.number and m.works_with is null`,
    [applied.map(({ number }) => number), applied.map(({ worksWith }) => worksWith)],
  )
  await client.query('commit')
}

async function apply(client: pg.PoolClient, migration: Migration): Promise<void> {
  try {
    await (migration.inTransaction ? applyWhole(client, migration) : applyInSteps(client, migration))
  } catch (error) {
    throw new Error(`Migration ${migration.file} failed`, { cause: error })
  }
}

async function applyWhole(client: pg.PoolClient, migration: Migration): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await client.query('begin')
      await client.query(`set local lock_timeout = ${LOCK_TIMEOUT}`)
      await client.query(migration.sql)
      await note(client, migration)
      await client.query('commit')
      return
    } catch (error) {
      await client.query('rollback').catch(() => {})
      const waited = error instanceof DatabaseError && IN_THE_WAY.has(error.code)
      if (!waited || tries === TRIES) throw error
      await pause(BETWEEN_TRIES)
    }
  }
}

/** Runs without a lock time-out: these statements wait for others without blocking them. */
async function applyInSteps(client: pg.PoolClient, migration: Migration): Promise<void> {
  for (const statement of statementsOf(migration)) {
    await dropInvalidIndex(client, statement)
    await client.query(statement)
  }
  await note(client, migration)
}

const CONCURRENT_INDEX = /^create\s+(?:unique\s+)?index\s+concurrently\s+if\s+not\s+exists\s+([a-z_0-9]+)/i

/** Drops an index whose building was interrupted. Its name exists, it costs every write and no query uses it. */
async function dropInvalidIndex(client: pg.PoolClient, statement: string): Promise<void> {
  const name = CONCURRENT_INDEX.exec(statement)?.[1]
  if (name === undefined) return
  const { rows } = await client.query(
    'select 1 from pg_index where indexrelid = to_regclass($1) and not indisvalid',
    [name],
  )
  if (rows.length > 0) await client.query(`drop index concurrently if exists ${escapeIdentifier(name)}`)
}

async function note(client: pg.PoolClient, { number, file, worksWith }: Migration): Promise<void> {
  await client.query(
    'insert into migrations (number, file, applied_at, works_with) values ($1, $2, now(), $3)',
    [number, file, worksWith],
  )
}
