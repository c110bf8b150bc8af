import { setTimeout as pause } from 'node:timers/promises'
import { Client, escapeIdentifier } from 'pg'
import type { DatabaseAddress } from './pool.ts'

export interface ListenerHealth {
  readonly connected: boolean
  /** Why the last connection ended or could not be made; null while connected. */
  readonly error: string | null
}

/** The process's one connection for `LISTEN`. It reconnects whenever the connection breaks. */
export interface Listener {
  /**
   * Calls `handler` with the payload of each notification. Resolves once the connection listens to the channel. While
   * the connection is broken it resolves at once, and {@link onReconnect} follows.
   */
  on(channel: string, handler: (payload: string) => void): Promise<void>
  /** Calls `handler` after each gap in which notifications may have been lost. */
  onReconnect(handler: () => void): void
  health(): ListenerHealth
  /** Aborted when the listener is stopped. */
  readonly stopped: AbortSignal
  stop(): Promise<void>
}

export interface ListenerOptions {
  readonly address: DatabaseAddress
  /** Called when the connection breaks and each time it cannot be made. */
  readonly onError?: (error: unknown) => void
  /** Milliseconds between two checks that the connection still works. */
  readonly checkInterval?: number
  /** The longest wait before another try, in milliseconds. */
  readonly maxBackOff?: number
}

/** @throws when the first connection cannot be made. */
export async function openListener(options: ListenerOptions): Promise<Listener> {
  const listener = new Connection(options)
  await listener.connect()
  return listener
}

class Connection implements Listener {
  readonly #options: Required<ListenerOptions>
  readonly #handlers = new Map<string, ((payload: string) => void)[]>()
  readonly #reconnected: (() => void)[] = []
  readonly #stopping = new AbortController()
  #client: Client | undefined
  #error: string | null = null
  #check: NodeJS.Timeout | undefined
  #reconnecting: Promise<void> = Promise.resolve()

  constructor(options: ListenerOptions) {
    this.#options = { onError: () => {}, checkInterval: 10_000, maxBackOff: 2_000, ...options }
  }

  async on(channel: string, handler: (payload: string) => void): Promise<void> {
    const handlers = this.#handlers.get(channel)
    if (handlers !== undefined) {
      handlers.push(handler)
      return
    }
    this.#handlers.set(channel, [handler])
    const client = this.#client
    await client
      ?.query(`listen ${escapeIdentifier(channel)}`)
      .catch((error: unknown) => this.#lose(client, error))
  }

  onReconnect(handler: () => void): void {
    this.#reconnected.push(handler)
  }

  get stopped(): AbortSignal {
    return this.#stopping.signal
  }

  health(): ListenerHealth {
    return { connected: this.#client !== undefined, error: this.#error }
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#reconnecting
    clearInterval(this.#check)
    const client = this.#client
    this.#client = undefined
    await client?.end().catch(() => {})
  }

  async connect(): Promise<void> {
    const client = new Client({
      ...this.#options.address,
      application_name: 'forgelet-listen',
      connectionTimeoutMillis: 5_000,
      query_timeout: 5_000,
      keepAlive: true,
    })
    client.on('error', (error) => this.#lose(client, error))
    client.on('end', () => this.#lose(client, new Error('The connection was closed')))
    client.on('notification', ({ channel, payload }) => {
      for (const handler of this.#handlers.get(channel) ?? []) handler(payload ?? '')
    })
    try {
      await client.connect()
      // Repeat for channels that were added meanwhile.
      for (let heard = 0; heard < this.#handlers.size;) {
        const channels = [...this.#handlers.keys()].slice(heard)
        await client.query(channels.map((channel) => `listen ${escapeIdentifier(channel)}`).join(';'))
        heard += channels.length
      }
    } catch (error) {
      client.end().catch(() => {})
      throw error
    }
    this.#client = client
    this.#error = null
    // Only a query reveals a peer that vanished silently (a machine lost its power).
    this.#check = setInterval(() => {
      client.query('select 1').catch((error: unknown) => this.#lose(client, error))
    }, this.#options.checkInterval).unref()
  }

  #lose(client: Client | undefined, error: unknown): void {
    if (client === undefined || client !== this.#client) return
    this.#client = undefined
    clearInterval(this.#check)
    client.end().catch(() => {})
    this.#report(error)
    if (!this.#stopping.signal.aborted) this.#reconnecting = this.#reconnect()
  }

  async #reconnect(): Promise<void> {
    for (let attempt = 0; !this.#stopping.signal.aborted; attempt++) {
      const delay = Math.min(50 * 2 ** attempt, this.#options.maxBackOff)
      await pause(delay, undefined, { signal: this.#stopping.signal }).catch(() => {})
      if (this.#stopping.signal.aborted) return
      try {
        await this.connect()
      } catch (error) {
        this.#report(error)
        continue
      }
      for (const handler of this.#reconnected) handler()
      return
    }
  }

  #report(error: unknown): void {
    this.#error = error instanceof Error ? error.message : String(error)
    this.#options.onError(error)
  }
}
