import type pg from 'pg'
import { type DatabaseAddress, type Db, openDb, openPool } from '#platform/db/pool.ts'
import { dropDatabase, newDatabase, onServer } from './new-database.ts'

/** For tests of what stands below HTTP: a migrated database without any rows, on the PostgreSQL of the run. */
export interface ScratchDatabase extends AsyncDisposable {
  readonly address: DatabaseAddress
  readonly pool: pg.Pool
  readonly db: Db
  /** Ends all connections and lets nobody in until the answer is called. */
  outage(): Promise<() => Promise<void>>
}

/** A database of its own, dropped with everybody's connections when disposed. */
export async function createScratchDatabase(): Promise<ScratchDatabase> {
  const address = await newDatabase('empty')
  const name = address.database
  const pool = openPool(address, 10)
  return {
    address,
    pool,
    db: openDb(pool),
    async outage() {
      await onServer(`alter database ${name} allow_connections false`)
      await endConnections(name)
      return () => onServer(`alter database ${name} allow_connections true`)
    },
    async [Symbol.asyncDispose]() {
      await pool.end()
      // Connections that a test broke or left behind must not keep the database alive.
      await endConnections(name)
      await dropDatabase(address)
    },
  }
}

/** Ends connections of ours; the workers of PostgreSQL itself are not ours to end. */
function endConnections(database: string): Promise<void> {
  const ours = `datname = '${database}' and usename = current_user`
  return onServer(`select pg_terminate_backend(pid) from pg_stat_activity where ${ours}`)
}
