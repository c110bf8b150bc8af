import { migrate } from '#platform/db/migrate.ts'
import { type DatabaseAddress, openPool } from '#platform/db/pool.ts'
import { assertDatabaseWhole } from '#platform/db/restore-mark.ts'
import { migrateJobs } from '#platform/jobs/migrate.ts'
import type { Log } from './context.ts'

/** Brings the schema up to date and does nothing else. @returns the migrations applied. */
export async function migrateAll(address: DatabaseAddress, log: Log): Promise<string[]> {
  const pool = openPool(address, 2)
  try {
    await assertDatabaseWhole(pool)
    const onWait = (): void => log.info({}, 'waiting for another node, which is migrating the database')
    const applied = await migrate(pool, { onWait })
    await migrateJobs(pool)
    // A first start applies them all, and their names would be most of what it shows.
    if (applied.length > 0)
      log.info({ migrations: applied.length, last: applied.at(-1) }, 'database migrated')
    return applied
  } finally {
    await pool.end()
  }
}
