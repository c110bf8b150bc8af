import { sql } from 'kysely'
import { Type } from 'typebox'
import { cleanUpFiles } from '#platform/files/clean-up.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { enqueue } from '#platform/jobs/enqueue.ts'
import { type Lease, withLease } from '#platform/jobs/lease.ts'
import { type JobContext, defineTask } from '#platform/jobs/task.ts'
import { readSettings } from '#platform/settings/settings.ts'

/** Rows in a transaction: few, because the last ones may bring the rest below the limit. */
const BATCH = 20
/** What was served this lately stays, whatever the limit: what is being served counts as used every few minutes. */
const IN_USE = '15 minutes'
const MEGABYTE = 1024 * 1024

/**
 * Removes what was not used for as long as a setting says, and then what was not used for longest until the rest keeps to
 * the limit. The clean-up of files removes the bytes of what nothing refers to any more.
 */
export const evictCache = defineTask('virtual-registries/evict-cache', 'long', Type.Object({}), (_, job) =>
  withLease(job, 'evict container caches', async (lease) => {
    const settings = await readSettings(job.db)
    const days = settings.container_virtual_registries_cache_days
    const limit = settings.container_virtual_registries_cache_limit * MEGABYTE
    let removed = 0
    if (days > 0) removed += (await removeWhile(job, lease, `${days} days`, Infinity)).entries
    const excess = limit > 0 ? (await bytesKept(job)) - limit : 0
    if (excess > 0) removed += (await removeWhile(job, lease, IN_USE, excess)).entries
    if (removed === 0) return
    await job.transact((tx) => enqueue(tx, cleanUpFiles, {}))
    job.log.info({ removed }, 'removed cached images that were not used')
  }),
)

interface Removed {
  readonly entries: number
  /** Of files that nothing else is kept of. */
  readonly bytes: number
}

/**
 * Removes what was not used for longest, a batch at a time.
 * @param age for how long something must be unused.
 * @param bytes how many are enough.
 */
async function removeWhile(job: JobContext, lease: Lease, age: string, bytes: number): Promise<Removed> {
  let removed: Removed = { entries: 0, bytes: 0 }
  while (removed.bytes < bytes) {
    lease.signal.throwIfAborted()
    const some = await job.transact(async (tx) => {
      await lease.guard(tx)
      return removeBatch(tx, age)
    })
    if (some.entries === 0) break
    removed = { entries: removed.entries + some.entries, bytes: removed.bytes + some.bytes }
  }
  return removed
}

/** Removes the few of these that were not used for longest. */
export async function removeBatch({ db, now }: Tx, age: string): Promise<Removed> {
  const { rows } = await sql<{ id: number; file_id: string }>`
    delete from container_cache_entries where id in (
      select id from container_cache_entries
      where downloaded_at < ${now}::timestamptz - ${age}::interval
      order by downloaded_at, id limit ${BATCH} for update skip locked)
    returning id, file_id`.execute(db)
  const files = rows.map(({ file_id }) => file_id)
  const { rows: freed } = await sql<{ bytes: number }>`
    select coalesce(sum(f.size), 0)::bigint as bytes from files f
    where f.id = any(${files}::text[])
      and not exists (select 1 from container_cache_entries e where e.file_id = f.id)`.execute(db)
  return { entries: rows.length, bytes: freed[0]?.bytes ?? 0 }
}

/** The size of all files that are kept, each once. It reads all entries, so a run asks for it once. */
async function bytesKept({ db }: JobContext): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select coalesce(sum(size), 0)::bigint as bytes from files
    where id in (select file_id from container_cache_entries)`.execute(db)
  return rows[0]?.bytes ?? 0
}
