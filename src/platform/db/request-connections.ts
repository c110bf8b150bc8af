import type { Pool } from 'pg'
import type { Connections } from './connection.ts'
import { FairShare } from './fair-share.ts'
import { fast, type Sending, type Transactions } from './fast/sending.ts'
import { type DatabaseAddress, openPool, type PoolOptions, REQUESTS } from './pool.ts'

/** Reads end sooner than writes: what takes longer is refused rather than kept for ever by those who ask for it. */
const forReads: PoolOptions = { limits: { ...REQUESTS, statement: 10_000 }, pipeline: false }

/**
 * For statements that find their rows by indexes, whatever the values are. A plan for all values stays until statistics
 * are gathered, so a plan made for an empty table must not read the whole of it.
 */
export const PLANNED_ONCE = 'set plan_cache_mode = force_generic_plan; set enable_seqscan = off'

/** The connections of a process for requests, in shares: no kind of request can take those of another kind. */
export interface RequestConnections extends Connections {
  readonly writes: Transactions
  readonly reads: FairShare
  readonly plannedOnce: FairShare
}

/**
 * @param total how many connections there may be at once: half of them for transactions, which mostly wait for locks and
 *   disks, a quarter for statements that are planned once, and a quarter for all other reads. One caller gets at most
 *   three quarters of a share for reads.
 */
export function openRequestConnections(
  address: DatabaseAddress,
  total: number,
  sending: Sending = fast,
): RequestConnections {
  const quarter = Math.floor(total / 4)
  const share = (pool: Pool) =>
    new FairShare(pool, { running: Math.max(1, Math.floor(pool.options.max * 0.75)), sending })
  const forWrites = openPool(address, total - 2 * quarter)
  const reads = share(openPool(address, quarter, { ...forReads, name: 'forgelet reads' }))
  const plannedOnce = share(
    openPool(address, quarter, { ...forReads, begin: PLANNED_ONCE, name: 'forgelet prepared reads' }),
  )
  const maxWhileReadsWait = Math.max(3, Math.floor(forWrites.options.max / 4))
  const writes = sending.transactions(forWrites, [reads, plannedOnce], { maxWhileReadsWait })
  return {
    writes,
    reads,
    plannedOnce,
    sending,
    end: async () => {
      await Promise.all([writes, reads, plannedOnce].map(({ pool }) => pool.end()))
    },
  }
}
