import { sql } from 'kysely'
import { Type } from 'typebox'
import type { Tx } from '#platform/db/transaction.ts'
import { enqueue } from '#platform/jobs/enqueue.ts'
import { withLease } from '#platform/jobs/lease.ts'
import { RowRemover } from '#platform/jobs/remove-rows.ts'
import { defineTask } from '#platform/jobs/task.ts'

/** Hides upstreams from now on. A job removes them with what was kept of them, which may be much. */
export async function hideUpstreams(tx: Tx, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  await sql`
    update container_upstreams set deleted_at = ${tx.now}, password = null, username = null
    where id = any(${[...ids]}::bigint[])`.execute(tx.db)
  await enqueue(tx, removeUpstreams, {})
}

/** Removes the upstreams that {@link hideUpstreams} has hidden. */
export const removeUpstreams = defineTask(
  'virtual-registries/remove-upstreams',
  'long',
  Type.Object({}),
  (_, job) =>
    withLease(job, 'remove container upstreams', async (lease) => {
      const remover = await RowRemover.open(job, lease)
      await remover.removeAll(
        'container_upstreams',
        (limit) => sql<{ id: number }>`
        select id from container_upstreams where deleted_at is not null order by id limit ${limit}`,
      )
      job.log.info({ rows: remover.removed }, 'removed upstreams that were deleted')
    }),
)
