import { sql } from 'kysely'
import { expect } from 'vitest'
import type { Db } from '#platform/db/pool.ts'
import { until } from './until.ts'
import { w } from './world.ts'

/** Waits until so many connections wait for a lock; by default to the database of the shared server. */
export async function lockWaiters(count: number, db: Db = w.db): Promise<void> {
  const waiting = sql`select from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`
  await until(async () => expect((await waiting.execute(db)).rows).toHaveLength(count))
}
