import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import { migrate } from '#db/migrate.ts'
import { type Db, openDb, openPool } from '#db/pool.ts'
import { migrateJobs } from './migrate.ts'

// For tests only. The one place to change when the project's test world hands out databases.

const server = process.env['TEST_DATABASE_URL'] ?? 'postgres://forgelet@127.0.0.1:5599/postgres'

export interface TestDatabase extends AsyncDisposable {
  readonly url: string
  readonly pool: pg.Pool
  readonly db: Db
  /** Ends all connections and lets nobody in until the answer is called. */
  outage(): Promise<() => Promise<void>>
}

async function onServer(statement: string): Promise<void> {
  const admin = openPool({ connectionString: server }, 1)
  try {
    await admin.query(statement)
  } finally {
    await admin.end()
  }
}

/** A migrated database of its own, dropped with everybody's connections when disposed. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const name = `mech_${randomBytes(6).toString('hex')}`
  await onServer(`create database ${name}`)
  const url = Object.assign(new URL(server), { pathname: `/${name}` }).href
  const pool = openPool({ connectionString: url }, 10)
  await migrate(pool)
  await migrateJobs(pool)
  return {
    url,
    pool,
    db: openDb(pool),
    async outage() {
      await onServer(`alter database ${name} allow_connections false`)
      await onServer(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`)
      return () => onServer(`alter database ${name} allow_connections true`)
    },
    async [Symbol.asyncDispose]() {
      // Connections that a test broke or left behind must not keep the database alive.
      await onServer(`drop database ${name} with (force)`)
      await pool.end()
    },
  }
}
