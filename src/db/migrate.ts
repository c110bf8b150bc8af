import { readdir, readFile } from 'node:fs/promises'
import type pg from 'pg'

/** The database has migrations that this program does not know. */
export class DatabaseTooNew extends Error {
  override readonly name = 'DatabaseTooNew'
  constructor(found: number, known: number) {
    super(
      `The database is at migration ${found}, this version of Forgelet knows ${known}. ` +
        `Start the newer version again, or restore a backup made by this one.`,
    )
  }
}

/** The oldest PostgreSQL that Forgelet is tested on. */
const OLDEST_SERVER = 15

/** The database server is older than what the statements need. */
export class ServerTooOld extends Error {
  override readonly name = 'ServerTooOld'
  constructor(found: string) {
    super(
      `FORGELET_DATABASE_URL leads to PostgreSQL ${found}; Forgelet needs ${OLDEST_SERVER} or later. ` +
        'Upgrade that server, or leave the variable out to use the embedded one.',
    )
  }
}

interface Migration {
  readonly number: number
  readonly file: string
}

const folder = new URL('./migrations/', import.meta.url)

/** One lock for all nodes: whoever comes second finds the work done. Any constant will do. */
const LOCK = 4_703_117_001

async function listMigrations(): Promise<Migration[]> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.sql')).toSorted()
  return files.map((file, index) => {
    const number = Number(file.slice(0, 4))
    if (number !== index + 1) throw new Error(`Migration ${file} should have the number ${index + 1}`)
    return { number, file }
  })
}

/** The number of the last migration that this program knows. */
export async function latestMigration(): Promise<number> {
  return (await listMigrations()).length
}

/**
 * Brings the schema up to this program's: numbered files, forward only, each in a transaction of its own,
 * all under one advisory lock.
 *
 * @returns the names of the files applied now, in order; empty when there was nothing to do.
 * @throws {DatabaseTooNew} and {@link ServerTooOld} before anything is changed.
 */
export async function migrate(pool: pg.Pool): Promise<string[]> {
  const known = await listMigrations()
  const client = await pool.connect()
  try {
    await client.query('set statement_timeout = 0')
    await demandServer(client)
    await client.query('select pg_advisory_lock($1)', [LOCK])
    await client.query(
      'create table if not exists migrations (number integer primary key, file text not null, applied_at timestamptz not null)',
    )
    const { rows } = await client.query<{ number: number | null }>(
      'select max(number) as number from migrations',
    )
    const current = rows[0]?.number ?? 0
    if (current > known.length) throw new DatabaseTooNew(current, known.length)
    const due = known.slice(current)
    for (const migration of due) await apply(client, migration)
    return due.map(({ file }) => file)
  } finally {
    // Ends the session, and with it the lock and the setting.
    client.release(true)
  }
}

async function demandServer(client: pg.PoolClient): Promise<void> {
  const { rows } = await client.query<{ server_version: string }>('show server_version')
  const version = rows[0]?.server_version ?? 'of an unknown version'
  if (Number.parseInt(version) < OLDEST_SERVER) throw new ServerTooOld(version)
}

async function apply(client: pg.PoolClient, { number, file }: Migration): Promise<void> {
  const sql = await readFile(new URL(file, folder), 'utf8')
  try {
    await client.query('begin')
    await client.query(sql)
    await client.query('insert into migrations values ($1, $2, now())', [number, file])
    await client.query('commit')
  } catch (error) {
    throw new Error(`Migration ${file} failed`, { cause: error })
  }
}
