import type pg from 'pg'
import type { Clock } from '#platform/context.ts'

/** Milliseconds between two looks at the database's time. */
const INTERVAL = 60_000

/**
 * The database's time, which all nodes share: what one node writes is not later than what another compares it with.
 * Asking costs nothing, since the difference to the machine's clock is measured beside requests, once a minute.
 */
export class DatabaseClock implements Clock {
  #difference = 0
  #timer: NodeJS.Timeout | undefined

  now(): Date {
    return new Date(Date.now() + this.#difference)
  }

  /** Takes the database's time from now on. While the database is away, the last difference holds. */
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
    // The database looked at its clock somewhere between.
    if (row !== undefined) this.#difference = Math.round(Number(row.now) - (asked + answered) / 2)
  }
}
