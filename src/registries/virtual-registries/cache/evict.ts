import { sql } from 'kysely'
import { Type } from 'typebox'
import { cleanUpFiles } from '#platform/files/clean-up.ts'
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
    if (days > 0) removed += await removeWhile(job, lease, () => Promise.resolve(`${days} days`))
    if (limit > 0)
      removed += await removeWhile(job, lease, async () =>
        (await bytesKept(job)) > limit ? IN_USE : undefined,
      )
    if (removed === 0) return
    await job.transact((tx) => enqueue(tx, cleanUpFiles, {}))
    job.log.info({ removed }, 'removed cached images that were not used')
  }),
)

/** @param unused for how long something may be unused; undefined to end. It is asked before each batch. */
async function removeWhile(
  job: JobContext,
  lease: Lease,
  unused: () => Promise<string | undefined>,
): Promise<number> {
  let removed = 0
  for (;;) {
    lease.signal.throwIfAborted()
    const age = await unused()
    if (age === undefined) return removed
    const some = await job.transact(async (tx) => {
      await lease.guard(tx)
      const { numAffectedRows = 0n } = await sql`
        delete from container_cache_entries where id in (
          select id from container_cache_entries
          where downloaded_at < ${tx.now}::timestamptz - ${age}::interval
          order by downloaded_at, id limit ${BATCH} for update skip locked)`.execute(tx.db)
      return Number(numAffectedRows)
    })
    removed += some
    if (some === 0) return removed
  }
}

/** The size of all files that are kept, each once. */
async function bytesKept({ db }: JobContext): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select coalesce(sum(size), 0)::bigint as bytes from files
    where id in (select file_id from container_cache_entries)`.execute(db)
  return rows[0]?.bytes ?? 0
}
