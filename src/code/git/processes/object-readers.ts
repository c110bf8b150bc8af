import type { GitProcess } from './git-process.ts'
import { keyOf, type Location } from './location.ts'
import { GitBusy } from '../errors.ts'
import { ObjectReader } from './object-reader.ts'

/** How many repositories may have a reader at once. */
const MAX_READERS = 32
/** Milliseconds after its last answer until a reader is closed. */
const IDLE = 20_000
/** Milliseconds after which a reader is replaced: it keeps packs open that housekeeping has removed. */
const AGE = 10 * 60_000

interface Entry {
  readonly reader: ObjectReader
  readonly opened: number
  used: number
}

const ARGS = ['cat-file', '--batch-command', '-z'] as const

/** The long-lived readers of the repositories that are in use. */
export class ObjectReaders {
  readonly #start: (at: Location, args: readonly string[]) => Promise<GitProcess>
  /** In the order of their last use, the latest last. */
  readonly #readers = new Map<string, Entry>()
  #sweep: NodeJS.Timeout | undefined

  constructor(start: (at: Location, args: readonly string[]) => Promise<GitProcess>) {
    this.#start = start
  }

  get open(): number {
    return this.#readers.size
  }

  /** @throws {GitBusy} when all readers are at work for other repositories. */
  of(at: Location): ObjectReader {
    const now = performance.now()
    const key = keyOf(at)
    const known = this.#readers.get(key)
    if (known !== undefined) {
      this.#readers.delete(key)
      if (known.reader.alive && (now - known.opened < AGE || known.reader.busy)) {
        this.#readers.set(key, known)
        known.used = now
        return known.reader
      }
      known.reader.close()
    }
    this.#makeRoom()
    const reader = new ObjectReader(this.#start(at, ARGS))
    this.#readers.set(key, { reader, opened: now, used: now })
    this.#sweep ??= setInterval(() => this.#closeIdle(), IDLE / 2).unref()
    return reader
  }

  /** Closes the reader of a repository, whose folder is about to go. */
  forget(at: Location): void {
    this.#close(keyOf(at))
  }

  close(): void {
    clearInterval(this.#sweep)
    this.#sweep = undefined
    for (const key of this.#readers.keys()) this.#close(key)
  }

  #makeRoom(): void {
    if (this.#readers.size < MAX_READERS) return
    for (const [key, { reader }] of this.#readers) {
      if (reader.busy) continue
      this.#close(key)
      return
    }
    throw new GitBusy()
  }

  #closeIdle(): void {
    const now = performance.now()
    for (const [key, { reader, used }] of this.#readers) {
      if (!reader.alive || (!reader.busy && now - used > IDLE)) this.#close(key)
    }
    if (this.#readers.size > 0) return
    clearInterval(this.#sweep)
    this.#sweep = undefined
  }

  #close(key: string): void {
    this.#readers.get(key)?.reader.close()
    this.#readers.delete(key)
  }
}
