import { Client, type Pool, type PoolClient } from 'pg'
import type { OnStatement } from '#platform/db/driver.ts'
import { type DatabaseAddress, type Db, openDb, openPool } from '#platform/db/pool.ts'
import { type Lane, laneNames, lanes } from './lanes.ts'

/**
 * What the queue itself needs: each lane's worker listens on one, and two more take jobs, note how they ended and give
 * signs of life. No job's work runs here, so that none can keep the queue waiting.
 */
const QUEUE_CONNECTIONS = laneNames.length + 2

/** Beside one for each worker: what renews the leases of running jobs (lease.ts). */
const SPARE_CONNECTIONS = 1

export interface JobConnections {
  readonly queue: Pool
  /** What jobs of a lane work with. */
  readonly of: (lane: Lane) => Db
  /** Closes all; what still runs after so many milliseconds is cut off. */
  close(patience: number): Promise<void>
}

/**
 * Opens the connections of jobs: apart from those that serve requests, and for each lane apart from the others.
 * @param onStatement is told of what jobs send.
 */
export function openJobConnections(address: DatabaseAddress, onStatement?: OnStatement): JobConnections {
  const queue = new TrackedPool(openPool(address, QUEUE_CONNECTIONS, { name: 'forgelet jobs' }))
  const opened = laneNames.map((name) => {
    const { workers, limits } = lanes[name]
    const options = { limits, name: `forgelet ${name} jobs` }
    const pool = new TrackedPool(openPool(address, workers + SPARE_CONNECTIONS, options))
    return { name, pool, db: openDb(pool.pool, onStatement) }
  })
  return {
    queue: queue.pool,
    of: (lane) => {
      const found = opened.find(({ name }) => name === lane)
      if (found === undefined) throw new Error(`There is no lane ${lane}`)
      return found.db
    },
    close: async (patience) => {
      await Promise.all([queue, ...opened.map(({ pool }) => pool)].map((pool) => pool.close(patience)))
    },
  }
}

/** A pool that knows its connections, to cut off those which a job that does not end keeps for itself. */
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
