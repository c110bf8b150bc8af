import type pg from 'pg'

export interface ThrottleLimits {
  /** How many transactions run at once while reads wait. */
  readonly maxWhileReadsWait: number
  /** The longest time that a transaction waits for reads, in milliseconds. */
  readonly maxWaitMs?: number
}

/** A share of connections for reads. */
export interface WaitingReads {
  /** How many statements wait for others of the same caller. */
  readonly waiting: number
  readonly pool: Pick<pg.Pool, 'waitingCount'>
}

/**
 * The connections for transactions. While reads wait for their connections, only few transactions run at once: PostgreSQL would
 * otherwise spend its time on whoever has more connections, and 50 people who write leave next to nothing for those who read. What
 * waits here holds no lock. docs/decisions/0019-reads.md has the figures.
 */
export class WriteThrottle {
  readonly pool: pg.Pool
  readonly #reads: readonly WaitingReads[]
  readonly #maxWhileReadsWait: number
  readonly #maxWaitMs: number
  readonly #running = new Set<pg.PoolClient>()
  /** The transactions that begin, and have no connection yet. */
  #beginning = 0
  readonly #waiting: (() => void)[] = []

  constructor(
    pool: pg.Pool,
    reads: readonly WaitingReads[],
    { maxWhileReadsWait, maxWaitMs = 250 }: ThrottleLimits,
  ) {
    this.pool = pool
    this.#reads = reads
    this.#maxWhileReadsWait = maxWhileReadsWait
    this.#maxWaitMs = maxWaitMs
    pool.on('release', (_, client) => {
      if (this.#running.delete(client)) this.#callNext()
    })
  }

  /** How many transactions wait for reads. */
  get waiting(): number {
    return this.#waiting.length
  }

  async connect(): Promise<pg.PoolClient> {
    if (this.#waiting.length > 0 || this.#mustWait()) await this.#turn()
    else this.#beginning += 1
    try {
      const client = await this.pool.connect()
      this.#running.add(client)
      return client
    } finally {
      this.#beginning -= 1
    }
  }

  #mustWait(): boolean {
    return (
      this.#running.size + this.#beginning >= this.#maxWhileReadsWait &&
      this.#reads.some(({ waiting, pool }) => waiting + pool.waitingCount > 0)
    )
  }

  /** Waits until this transaction may begin; from then on it counts as one that does. */
  #turn(): Promise<void> {
    return new Promise((resolve) => {
      const begin = (): void => {
        clearTimeout(timer)
        this.#beginning += 1
        resolve()
      }
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(begin), 1)
        begin()
      }, this.#maxWaitMs)
      this.#waiting.push(begin)
    })
  }

  /** Lets one transaction begin for one that has ended, and all of them once no read waits. */
  #callNext(): void {
    while (this.#waiting.length > 0 && !this.#mustWait()) this.#waiting.shift()?.()
  }
}
