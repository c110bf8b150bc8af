import type pg from 'pg'
import { currentCaller } from '#platform/shares/caller.ts'
import { Shares } from '#platform/shares/shares.ts'
import type { StatementTarget } from './connection.ts'
import { TooManyAtOnce } from './errors.ts'
import { type Answered, fast, type Sending } from './fast/sending.ts'

export interface StatementLimits {
  /** How many statements one caller has at once. */
  readonly running: number
  /** How many more may wait; further ones are refused at once. */
  readonly waiting?: number
  /** Milliseconds that a statement waits for others of its caller. It is refused after that. */
  readonly patience?: number
  readonly sending?: Sending
}

/**
 * A pool on which no caller can take all connections. A caller has a bounded number of statements at once, and the rest
 * of them wait in order. A statement holds its place until its rows have come, and needs no second one meanwhile, so
 * statements never wait for each other in a circle.
 */
export class FairShare implements StatementTarget {
  readonly pool: pg.Pool
  readonly #shares: Shares
  readonly #sending: Sending

  constructor(pool: pg.Pool, { running, waiting = 500, patience = 5_000, sending = fast }: StatementLimits) {
    this.pool = pool
    this.#sending = sending
    this.#shares = new Shares({ each: running, waiting, patience })
  }

  /** How many statements wait for others of the same caller. */
  get waiting(): number {
    return this.#shares.waiting
  }

  /**
   * Every statement passes here, so there is a single promise for it, and a callback instead of those of `pg`.
   * @throws {TooManyAtOnce} when too many statements of the caller wait, or this one has waited too long.
   */
  query<Row extends pg.QueryResultRow>(statement: pg.QueryConfig): Promise<Answered<Row>> {
    return new Promise((resolve, reject) => {
      const toPool = this.#sending.toPool<Row>(this.pool, statement)
      const send = (onAnswer: () => void) =>
        toPool((error, answer) => {
          onAnswer()
          if (error === undefined) resolve(answer)
          else reject(error)
        })
      const caller = currentCaller()
      if (caller === undefined) send(() => {})
      else {
        this.#shares.ask(
          caller,
          (place) => send(() => this.#shares.leave(place)),
          () => reject(new TooManyAtOnce()),
        )
      }
    })
  }
}
