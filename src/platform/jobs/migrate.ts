import { Logger, runMigrations } from 'graphile-worker'
import type pg from 'pg'
import { takeSessionLock } from '#platform/db/locks.ts'

const silent = new Logger(() => () => {})

/**
 * Brings the schema of the job queue up to date with the library. `forgelet migrate` and every start call it. Needs
 * two connections of the pool: one holds the lock, one migrates.
 */
export async function migrateJobs(pool: pg.Pool): Promise<void> {
  const client = await pool.connect()
  try {
    await client.query('set statement_timeout = 0')
    await takeSessionLock(client, 'jobMigrations')
    await runMigrations({ pgPool: pool, logger: silent })
  } finally {
    // Ends the session, and with it the lock and the setting.
    client.release(true)
  }
}
