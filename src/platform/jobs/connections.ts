import { Client, type Pool, type PoolClient } from 'pg'
import type { OnStatement } from '#platform/db/driver.ts'
import { fast, type Sending } from '#platform/db/fast/sending.ts'
import { type DatabaseAddress, type Db, openDb, openPool } from '#platform/db/pool.ts'
import { PLANNED_ONCE } from '#platform/db/request-connections.ts'
import { type Lane, laneNames, lanes, type LaneSettings } from './lanes.ts'

/**
 * The connections of the queue itself: the workers of all lanes listen on one (arrivals.ts), and two more take jobs, record how
 * they ended and send heartbeats. Jobs do their work elsewhere, so no job can block the queue.
 */
const QUEUE_CONNECTIONS = 3

/** One connection beside those of the workers. It renews the leases of running jobs (lease.ts). */
const SPARE_CONNECTIONS = 1

export interface JobConnections {
  readonly queue: Pool
  /** The connections that jobs of a lane use. */
  readonly of: (lane: Lane) => Db
  /** Closes all. Whatever still runs after this many milliseconds is cut off. */
  close(patience: number): Promise<void>
}

/**
 * Opens the connections of jobs, separate from those of requests, and separate for each lane.
 * @param onStatement is called for each statement that jobs send.
 */
export function openJobConnections(
  address: DatabaseAddress,
  onStatement?: OnStatement,
  sending: Sending = fast,
): JobConnections {
  const queue = new TrackedPool(
    openPool(address, QUEUE_CONNECTIONS, { pipeline: false, name: 'forgelet jobs' }),
  )
  const opened = laneNames.map((name) => {
    const { workers, connections = workers, plannedOnce = false, limits }: LaneSettings = lanes[name]
    const options = { limits, pipeline: false, name: `forgelet ${name} jobs` }
    const pool = new TrackedPool(openPool(address, connections + SPARE_CONNECTIONS, options))
    const prepared = plannedOnce
      ? new TrackedPool(openPool(address, connections, { ...options, begin: PLANNED_ONCE }))
      : pool
    const pools = new Set([pool, prepared])
    const db = openDb(
      {
        writes: pool.pool,
        reads: pool.pool,
        plannedOnce: prepared.pool,
        sending,
        end: async () => {
          await Promise.all([...pools].map((one) => one.pool.end()))
        },
      },
      onStatement,
    )
    return { name, pools: [...pools], db }
  })
  return {
    queue: queue.pool,
    of: (lane) => {
      const found = opened.find(({ name }) => name === lane)
      if (found === undefined) throw new Error(`There is no lane ${lane}`)
      return found.db
    },
    close: async (patience) => {
      await Promise.all([queue, ...opened.flatMap(({ pools }) => pools)].map((pool) => pool.close(patience)))
    },
  }
}

/** A pool that knows its connections, so that it can cut off those of a job that does not end. */
class TrackedPool {
  readonly pool: Pool
  readonly #clients = new Set<PoolClient>()

  constructor(pool: Pool) {
    this.pool = pool
    this.pool.on('connect', (client) => this.#clients.add(client))
    this.pool.on('remove', (client) => this.#clients.delete(client))
  }

  async close(patience: number): Promise<void> {
    const cut = setTimeout(() => {
      for (const client of this.#clients) if (client instanceof Client) client.end().catch(() => {})
    }, patience)
    try {
      await this.pool.end()
    } finally {
      clearTimeout(cut)
    }
  }
}
