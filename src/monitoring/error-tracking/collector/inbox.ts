import { sql } from 'kysely'
import type { Log } from '#platform/context.ts'
import { transact, type TransactionSource } from '#platform/db/transaction.ts'
import { enqueue } from '#platform/jobs/enqueue.ts'
import { onBehalfOfNobody } from '#platform/shares/caller.ts'
import { groupEvents } from '../grouping/group-events.ts'

/** An event that somebody waits for to be kept. */
interface QueuedEvent {
  readonly projectId: number
  readonly event: string
  readonly at: string
  readonly kept: () => void
  readonly failed: (error: unknown) => void
}

/** At most so many events, and characters, in a transaction. */
const MAX_TRANSACTION = { events: 500, characters: 8 * 1024 * 1024 }
/** At most so many events, and characters, wait in a process. */
const MOST_WAITING = { events: 4_000, characters: 48 * 1024 * 1024 }
/** Milliseconds between two jobs for what arrives. */
const BETWEEN_JOBS = 250
/** Milliseconds for which the number of events that wait to be grouped holds. */
const FRESH = 1_000

/**
 * Keeps events durably until a job groups them. Those that arrive while a transaction is under way share the next one,
 * so that the disk is waited for once for all of them.
 */
export class Inbox {
  readonly #source: TransactionSource
  readonly #log: Pick<Log, 'warn'>
  readonly #waiting: QueuedEvent[] = []
  #characters = 0
  #writing: Promise<void> | undefined
  #lastJob = Number.NEGATIVE_INFINITY
  #jobLater: NodeJS.Timeout | undefined
  #backlog = { rows: 0, until: 0 }
  #asking = false

  constructor(source: TransactionSource, log: Pick<Log, 'warn'>) {
    this.#source = source
    this.#log = log
  }

  /** Keeps an event. It is on disk when this is over. */
  append(projectId: number, event: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const at = this.#source.clock.now().toISOString()
      this.#waiting.push({ projectId, event, at, kept: resolve, failed: reject })
      this.#characters += event.length
      this.#writing ??= this.#writeAll()
    })
  }

  /** Whether this process cannot take more at the moment. */
  get full(): boolean {
    return this.#waiting.length >= MOST_WAITING.events || this.#characters >= MOST_WAITING.characters
  }

  /** About how many events wait to be grouped, in all processes. Asked for at most once a second, and not waited for. */
  get backlog(): number {
    const now = performance.now()
    if (now > this.#backlog.until && !this.#asking) {
      this.#asking = true
      void this.#askBacklog().finally(() => (this.#asking = false))
    }
    return this.#backlog.rows
  }

  /** Writes what is left. */
  async close(): Promise<void> {
    clearTimeout(this.#jobLater)
    await this.#writing
  }

  async #askBacklog(): Promise<void> {
    try {
      const { rows } = await sql<{ rows: number }>`
        select coalesce((select max(id) from error_inbox) - (select min(id) from error_inbox) + 1, 0) as rows`.execute(
        this.#source.db,
      )
      this.#backlog = { rows: rows[0]?.rows ?? 0, until: performance.now() + FRESH }
      // Jobs come with what is let in. Without them, nothing would be let in again.
      if (this.#backlog.rows > 0) this.#addJobLater()
    } catch (error) {
      this.#log.warn({ err: error }, 'events that wait to be grouped not counted')
    }
  }

  async #writeAll(): Promise<void> {
    // What arrives in the same turn goes together.
    await new Promise(setImmediate)
    while (this.#waiting.length > 0) await this.#write(this.#take())
    this.#writing = undefined
  }

  #take(): QueuedEvent[] {
    let characters = 0
    let count = 0
    for (const { event } of this.#waiting) {
      characters += event.length
      if (count === MAX_TRANSACTION.events || (count > 0 && characters > MAX_TRANSACTION.characters)) break
      count += 1
    }
    const batch = this.#waiting.splice(0, count)
    for (const { event } of batch) this.#characters -= event.length
    return batch
  }

  async #write(batch: readonly QueuedEvent[]): Promise<void> {
    const now = performance.now()
    const withJob = now - this.#lastJob >= BETWEEN_JOBS
    try {
      await transact(this.#source, { author: null, ip: null }, async (tx) => {
        await sql`
          insert into error_inbox (project_id, received_at, event)
          select v.project_id, v.received_at, v.event from unnest(${batch.map((one) => one.projectId)}::bigint[], ${batch.map((one) => one.at)}::timestamptz[],
            string_to_array(${batch.map((one) => one.event).join('\n')}, chr(10))) as v (project_id, received_at, event)`.execute(
          tx.db,
        )
        if (withJob) await enqueue(tx, groupEvents, {})
      })
      if (withJob) this.#lastJob = now
      else this.#addJobLater()
      for (const { kept } of batch) kept()
    } catch (error) {
      for (const { failed } of batch) failed(error)
    }
  }

  /** A job may have ended just before the rows of this transaction came, so one more follows. */
  #addJobLater(): void {
    this.#jobLater ??= onBehalfOfNobody(() => setTimeout(() => void this.#addJob(), BETWEEN_JOBS).unref())
  }

  async #addJob(): Promise<void> {
    this.#jobLater = undefined
    this.#lastJob = performance.now()
    try {
      await transact(this.#source, { author: null, ip: null }, (tx) => enqueue(tx, groupEvents, {}))
    } catch (error) {
      // The schedule adds one within a minute.
      this.#log.warn({ err: error }, 'no job for events')
    }
  }
}
