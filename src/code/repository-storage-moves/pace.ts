import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import type { JobContext } from '#platform/jobs/task.ts'
import type { Settings } from '#platform/settings/definitions.ts'
import { reached } from './steps.ts'

const MEGABYTE = 1024 * 1024
/** Milliseconds between two notes of how far it is, for the database and for the log. */
const NOTE = 1_000
const LOG = 30_000

/** Lets the bytes of a repository pass at the speed that the settings allow, and writes down how far it is. */
export class Pace {
  readonly #job: JobContext
  readonly #settings: () => Settings
  readonly #moveId: number
  readonly #total: number
  #passed = 0
  #noted = 0
  #notedAt = performance.now()
  #loggedAt = performance.now()
  #began = false

  /** @param total the bytes of the repository on the disk; its packs may pass as fewer. */
  constructor(job: JobContext, settings: () => Settings, moveId: number, total: number) {
    this.#job = job
    this.#settings = settings
    this.#moveId = moveId
    this.#total = total
  }

  async *of(pack: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    await this.#add(0, this.#total)
    let due = performance.now()
    for await (const piece of pack) {
      this.#passed += piece.length
      const now = performance.now()
      due = Math.max(due, now) + this.#timeFor(piece.length)
      if (due - now > 1) await pause(due - now, undefined, { signal: this.#job.signal })
      if (now - this.#notedAt > NOTE) await this.#note(now)
      yield piece
      if (!this.#began) await reached('copying', this.#moveId)
      this.#began = true
    }
  }

  /** The whole repository is copied. */
  async finish(): Promise<void> {
    await this.#add(this.#total - this.#noted, 0)
  }

  /** Milliseconds that so many bytes may take. All moves together share the bandwidth. */
  #timeFor(bytes: number): number {
    const { repository_storage_moves_bandwidth: most, repository_storage_moves_at_once: moves } =
      this.#settings()
    return most === null ? 0 : (bytes * moves * 1000) / (most * MEGABYTE)
  }

  async #note(now: number): Promise<void> {
    this.#notedAt = now
    const passed = Math.min(this.#passed, this.#total)
    await this.#add(passed - this.#noted, 0)
    this.#noted = passed
    if (now - this.#loggedAt < LOG) return
    this.#loggedAt = now
    this.#job.log.info(
      { move: this.#moveId, bytes: passed, of: this.#total },
      'a storage move copies a repository',
    )
  }

  async #add(copied: number, total: number): Promise<void> {
    await this.#job.db
      .updateTable('repository_storage_moves')
      .set((eb) => ({
        bytes_copied: eb('bytes_copied', '+', copied),
        bytes_total: eb('bytes_total', '+', total),
        updated_at: sql`now()`,
      }))
      .where('id', '=', this.#moveId)
      .execute()
  }
}
