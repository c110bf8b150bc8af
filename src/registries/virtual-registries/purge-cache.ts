import { sql } from 'kysely'
import { Type } from 'typebox'
import type { Tx } from '#platform/db/transaction.ts'
import { enqueue } from '#platform/jobs/enqueue.ts'
import { withLease } from '#platform/jobs/lease.ts'
import { defineTask } from '#platform/jobs/task.ts'
import { cleanUpSoon } from './cache/evict.ts'

/** Rows in a transaction, and after how many of them the log tells how far it is. */
const ROWS_PER_TRANSACTION = 1_000
const PROGRESS = 20_000

/** Makes everything that is kept of upstreams count as gone from now on. A job removes the rows. */
export async function purgeUpstreams(tx: Tx, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  await sql`
    update container_upstreams set purged_at = ${tx.now} where id = any(${[...ids]}::bigint[])`.execute(tx.db)
  await enqueue(tx, purgeCache, { upstream_ids: [...ids] })
  await cleanUpSoon(tx)
}

/** Removes what {@link purgeUpstreams} has hidden. The files go with the clean-up of files. */
export const purgeCache = defineTask(
  'virtual-registries/purge-cache',
  'long',
  Type.Object({ upstream_ids: Type.Array(Type.Integer()) }),
  async ({ upstream_ids }, job) => {
    for (const id of upstream_ids) {
      await withLease(job, `purge container upstream ${id}`, async (lease) => {
        let removed = 0
        for (let some = ROWS_PER_TRANSACTION; some === ROWS_PER_TRANSACTION;) {
          lease.signal.throwIfAborted()
          some = await job.transact(async (tx) => {
            await lease.guard(tx)
            return removeSome(tx, id)
          })
          if (Math.floor((removed + some) / PROGRESS) > Math.floor(removed / PROGRESS))
            job.log.info({ upstream: id, removed: removed + some }, 'purging the cache of an upstream')
          removed += some
        }
        job.log.info({ upstream: id, removed }, 'purged the cache of an upstream')
      })
    }
  },
)

async function removeSome({ db }: Tx, upstreamId: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from container_cache_entries where id in (
      select e.id from container_cache_entries e join container_upstreams u on u.id = e.upstream_id
      where e.upstream_id = ${upstreamId} and e.created_at <= u.purged_at
      order by e.id limit ${ROWS_PER_TRANSACTION} for update of e)`.execute(db)
  return Number(numAffectedRows)
}
