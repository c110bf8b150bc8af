import type { Redis } from 'ioredis'
import type { RateLimiterRedis } from 'rate-limiter-flexible'
import type { Log } from '#platform/context.ts'
import { type PeriodCount, type Counters, countedIn, MemoryCounters, UNLIMITED } from './counters.ts'

/**
 * Milliseconds to wait for a count or a connection. Only requests that count while the server begins to hang wait
 * this long. With less, a busy process would mistake its own delay for a hanging server.
 */
const PATIENCE = 1_000
/** Milliseconds: the longest pause between two attempts to reconnect, and the shortest between two warnings. */
const LONGEST_PAUSE = 2_000
const BETWEEN_WARNINGS = 60_000

interface Opened {
  readonly client: Redis
  readonly limiter: (name: string, seconds: number) => RateLimiterRedis
}

/**
 * Counts in a Valkey or Redis, together with other processes. While that server does not answer, this process counts
 * for itself: requests proceed, a limit may let more through, and the log says so once a minute.
 */
export class SharedCounters implements Counters {
  readonly #url: string
  readonly #log: Pick<Log, 'warn' | 'info'>
  readonly #meanwhile = new MemoryCounters()
  #opened: Promise<Opened> | undefined
  #warnedAt = -Infinity

  constructor(url: string, log: Pick<Log, 'warn' | 'info'>) {
    this.#url = url
    this.#log = log
  }

  async add(name: string, key: number | string, seconds: number): Promise<PeriodCount> {
    const { client, limiter } = await this.#open()
    try {
      return countedIn(await limiter(name, seconds).consume(key))
    } catch (error) {
      // Disconnect from a server that hangs, so that no other request waits for it. Reconnecting happens outside
      // requests.
      if (client.status === 'ready' && isTimeout(error)) client.disconnect(true)
      this.#warn(error)
      return this.#meanwhile.add(name, key, seconds)
    }
  }

  async problem(): Promise<string | undefined> {
    const { client } = await this.#open()
    return client.status === 'ready' ? undefined : 'is not connected: limits are not shared'
  }

  forget = () => this.#meanwhile.forget()

  async close(): Promise<void> {
    const opened = await this.#opened
    opened?.client.disconnect()
  }

  /** Only the first counts wait for a connection, and not for long. */
  #open(): Promise<Opened> {
    this.#opened ??= connect(this.#url)
    return this.#opened
  }

  #warn(error: unknown): void {
    const now = performance.now()
    if (now - this.#warnedAt < BETWEEN_WARNINGS) return
    this.#warnedAt = now
    // The message alone: the error's properties include a refused password.
    const because = error instanceof Error ? error.message : String(error)
    this.#log.warn({ because }, 'limits are not shared: the server of FORGELET_REDIS_URL does not answer')
  }
}

async function connect(url: string): Promise<Opened> {
  const [{ Redis }, { RateLimiterRedis }] = await Promise.all([
    import('ioredis'),
    import('rate-limiter-flexible'),
  ])
  const client = new Redis(url, {
    lazyConnect: true,
    connectTimeout: PATIENCE,
    commandTimeout: PATIENCE,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    retryStrategy: (attempt) => Math.min(attempt * 100, LONGEST_PAUSE),
  })
  // The code that counts reports errors.
  client.on('error', () => {})
  await client.connect().catch(() => {})
  const limiters = new Map<string, RateLimiterRedis>()
  return {
    client,
    limiter: (name, duration) => {
      const keyPrefix = `forgelet:${name}:${duration}`
      const known = limiters.get(keyPrefix)
      if (known !== undefined) return known
      const made = new RateLimiterRedis({ storeClient: client, keyPrefix, points: UNLIMITED, duration })
      limiters.set(keyPrefix, made)
      return made
    },
  }
}

const isTimeout = (error: unknown) => error instanceof Error && error.message === 'Command timed out'
