import type pg from 'pg'
import { currentCaller } from './caller.ts'
import type { Answered, StatementTarget } from './driver.ts'
import { TooManyAtOnce } from './errors.ts'
import { KeptStatement } from './kept-statement.ts'

export interface ShareLimits {
  /** How many statements one caller has at once. */
  readonly running: number
  /** How many more may wait; further ones are refused at once. */
  readonly waiting?: number
  /** Milliseconds that a statement waits for others of its caller. It is refused after that. */
  readonly patience?: number
}

interface Waiting {
  readonly begin: () => void
  readonly refuse: (error: TooManyAtOnce) => void
  /** When its patience is at an end, by the clock of `performance`. */
  readonly until: number
}

/** One caller's statements. Callers without any are not kept. */
interface Statements {
  readonly caller: string
  running: number
  readonly waiting: Waiting[]
}

/**
 * A pool on which no caller can take all connections. A caller has a bounded number of statements at once, and the rest
 * of them wait in order. A statement holds its place until its rows have come, and needs no second one meanwhile, so
 * statements never wait for each other in a circle.
 */
export class FairShare implements StatementTarget {
  readonly pool: pg.Pool
  readonly #limits: Required<ShareLimits>
  readonly #callers = new Map<string, Statements>()
  #waiting = 0
  #sweep: NodeJS.Timeout | undefined

  constructor(pool: pg.Pool, { running, waiting = 500, patience = 5_000 }: ShareLimits) {
    this.pool = pool
    this.#limits = { running, waiting, patience }
  }

  /** How many statements wait for others of the same caller. */
  get waiting(): number {
    return this.#waiting
  }

  /**
   * Every statement passes here, so there is a single promise for it, and a callback instead of those of `pg`.
   * @throws {TooManyAtOnce} when too many statements of the caller wait, or this one has waited too long.
   */
  query<Row extends pg.QueryResultRow>(statement: pg.QueryConfig): Promise<Answered<Row>> {
    return new Promise((resolve, reject) => {
      const { name } = statement
      const sent = name === undefined ? statement : new KeptStatement(name, statement)
      const caller = currentCaller()
      const own = caller === undefined ? undefined : this.#statementsOf(caller)
      const begin = () =>
        this.pool.query<Row>(sent, (error: Error | undefined, result) => {
          if (own !== undefined) this.#leave(own)
          if (error === undefined) resolve(result)
          else reject(error)
        })
      if (own === undefined) begin()
      else this.#take(own, begin, reject)
    })
  }

  #statementsOf(caller: string): Statements {
    let own = this.#callers.get(caller)
    if (own === undefined) {
      own = { caller, running: 0, waiting: [] }
      this.#callers.set(caller, own)
    }
    return own
  }

  /** Begins at once, or when another statement of the caller passes its place on. */
  #take(own: Statements, begin: Waiting['begin'], refuse: Waiting['refuse']): void {
    if (own.running < this.#limits.running) {
      own.running += 1
      begin()
    } else if (own.waiting.length < this.#limits.waiting) {
      own.waiting.push({ begin, refuse, until: performance.now() + this.#limits.patience })
      this.#waiting += 1
      if (this.#sweep === undefined) this.#lookLater()
    } else refuse(new TooManyAtOnce())
  }

  /** One timer looks after all that wait, so they are refused up to a quarter late. */
  #lookLater(): void {
    this.#sweep = setTimeout(() => this.#refuseLate(), this.#limits.patience / 4).unref()
  }

  #refuseLate(): void {
    this.#sweep = undefined
    const now = performance.now()
    for (const { waiting } of this.#callers.values()) {
      const inTime = waiting.findIndex(({ until }) => until > now)
      for (const { refuse } of waiting.splice(0, inTime < 0 ? waiting.length : inTime)) {
        this.#waiting -= 1
        refuse(new TooManyAtOnce())
      }
    }
    if (this.#waiting > 0) this.#lookLater()
  }

  #leave(own: Statements): void {
    const next = own.waiting.shift()
    if (next !== undefined) {
      this.#waiting -= 1
      next.begin()
      return
    }
    own.running -= 1
    if (own.running === 0) this.#callers.delete(own.caller)
  }
}
