import type pg from 'pg'
import type { Clock } from '#platform/context.ts'

/** Milliseconds between two measurements of the database's time. */
const INTERVAL = 60_000

/**
 * The database's time, which all nodes share, so that times from different nodes compare. Reading it costs nothing:
 * the difference to the machine's clock is measured once a minute, outside requests.
 */
export class DatabaseClock implements Clock {
  #difference = 0
  #timer: NodeJS.Timeout | undefined

  now(): Date {
    return new Date(Date.now() + this.#difference)
  }

  /** Uses the database's time from now on. While the database is down, the last difference holds. */
  async follow(pool: pg.Pool): Promise<void> {
    await this.#measure(pool)
    this.#timer = setInterval(() => void this.#measure(pool).catch(() => {}), INTERVAL).unref()
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  async #measure(pool: pg.Pool): Promise<void> {
    const asked = Date.now()
    const { rows } = await pool.query<{ now: string }>(
      'select extract(epoch from clock_timestamp()) * 1000 as now',
    )
    const answered = Date.now()
    const [row] = rows
    // The database read its clock somewhere between these two moments.
    if (row !== undefined) this.#difference = Math.round(Number(row.now) - (asked + answered) / 2)
  }
}
