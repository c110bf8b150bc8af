import { sql } from 'kysely'
import type { Tx } from '#platform/db/transaction.ts'
import { enqueue } from '#platform/jobs/enqueue.ts'
import { removingDeleted } from '#platform/jobs/remove-deleted.ts'
import { cleanUpSoon } from './cache/evict.ts'

/** Hides upstreams from now on. A job removes them with what was kept of them, which may be much. */
export async function hideUpstreams(tx: Tx, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  await sql`
    update container_upstreams set deleted_at = ${tx.now}, password = null, username = null
    where id = any(${[...ids]}::bigint[])`.execute(tx.db)
  await enqueue(tx, removeUpstreams, {})
  await cleanUpSoon(tx)
}

/** Removes the upstreams that {@link hideUpstreams} has hidden. */
export const removeUpstreams = removingDeleted('virtual-registries/remove-upstreams', 'container_upstreams')
