import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Listener } from './listener.ts'
import type { Tx } from './transaction.ts'

/** A value from the database that this process keeps in memory. It is at most one notification old. */
export interface Watched<T> {
  /** The same object until something changes. */
  readonly current: () => T
  /** Reads it again now. A request that changed it calls this after its commit, to see its own change. */
  readonly reload: () => Promise<T>
  /** Calls `handler` after each change, by any process. */
  readonly onChange: (handler: (value: T, before: T) => void) => void
}

export interface WatchOptions<T> {
  readonly listener: Listener
  /** The channel on which {@link announce} tells of changes. */
  readonly channel: string
  /** The value as the database has it now. It must be plain data, because changes are detected by its JSON. */
  readonly read: () => Promise<T>
  /** Called when it could not be read again. It keeps its old value until a later attempt succeeds. */
  readonly onError?: (error: unknown) => void
  /** Waits some milliseconds between two attempts; rejects when the signal is aborted. */
  readonly pause?: (milliseconds: number, signal: AbortSignal) => Promise<unknown>
}

/** Milliseconds between attempts to read again; the last one repeats. */
const PAUSES = [100, 300, 1_000, 3_000, 10_000, 30_000]

const pauseFor = (milliseconds: number, signal: AbortSignal): Promise<unknown> =>
  wait(milliseconds, undefined, { signal, ref: false })

/** When the transaction commits, tells every process to read again what it watches on this channel. */
export async function announce({ db }: Tx, channel: string): Promise<void> {
  await sql`select pg_notify(${channel}, '')`.execute(db)
}

/**
 * Reads a value and keeps it current, also when other processes change it. Failed reads are repeated until they
 * succeed or the listener is stopped.
 * @throws when the first read fails.
 */
export async function watch<T>(options: WatchOptions<T>): Promise<Watched<T>> {
  const { listener, channel } = options
  const view = new View(options.read)
  const refresh = refresher(view, options)
  await listener.on(channel, refresh)
  listener.onReconnect(refresh)
  // Read after listening has begun, so that no change is missed.
  await view.reload()
  return {
    current: () => view.current(),
    reload: () => view.reload(),
    onChange: (handler) => view.onChange(handler),
  }
}

/**
 * Reads the view again at each call. After a failure it retries with growing pauses, in one series however often it
 * is called.
 */
function refresher<T>(
  view: View<T>,
  { listener: { stopped }, onError = () => {}, pause = pauseFor }: WatchOptions<T>,
): () => void {
  let again: AbortController | undefined
  const refresh = async (): Promise<void> => {
    again?.abort()
    const mine = new AbortController()
    again = mine
    const ended = AbortSignal.any([stopped, mine.signal])
    for (let attempt = 0; !ended.aborted; attempt += 1) {
      try {
        await view.reload()
        return
      } catch (error) {
        if (ended.aborted) return
        onError(error)
        await pause(PAUSES[attempt] ?? PAUSES.at(-1) ?? 0, ended).catch(() => {})
      }
    }
  }
  return () => void refresh()
}

class View<T> implements Watched<T> {
  readonly #read: () => Promise<T>
  readonly #changed: ((value: T, before: T) => void)[] = []
  #held: { readonly value: T } | undefined
  #reading: Promise<T> | undefined
  #next: Promise<T> | undefined

  constructor(read: () => Promise<T>) {
    this.#read = read
  }

  current(): T {
    if (this.#held === undefined) throw new Error('It was never read')
    return this.#held.value
  }

  onChange(handler: (value: T, before: T) => void): void {
    this.#changed.push(handler)
  }

  // Only one read runs at a time, so that an older answer never replaces a newer one. A call during a read waits for
  // the next read: the running one may have begun before the caller's change.
  reload(): Promise<T> {
    if (this.#reading === undefined) {
      this.#reading = this.#take().finally(() => (this.#reading = undefined))
      return this.#reading
    }
    this.#next ??= this.#reading
      .catch(() => undefined)
      .then(() => {
        this.#next = undefined
        return this.reload()
      })
    return this.#next
  }

  async #take(): Promise<T> {
    const value = await this.#read()
    const before = this.#held
    if (before !== undefined && JSON.stringify(value) === JSON.stringify(before.value)) return before.value
    this.#held = { value }
    if (before !== undefined) for (const handler of this.#changed) handler(value, before.value)
    return value
  }
}
