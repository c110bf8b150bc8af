import { EventEmitter } from 'node:events'
import type pg from 'pg'
import { CHANNEL, taskOf } from './added-job.ts'

/** What the library tells its workers by when it changes its tables. */
const MIGRATIONS = 'worker:migrate'
/** What the library takes for the sign that there is a job. */
const INSERTED = 'jobs:insert'

/**
 * What the library hears of the database by. It takes it for a connection that listens; nobody asks it anything else.
 */
class Hearer extends EventEmitter {
  readonly #hears: (task: string) => boolean

  /** @param hears whether the workers do jobs of a task. */
  constructor(hears: (task: string) => boolean) {
    super()
    this.#hears = hears
  }

  hear({ channel, payload = '' }: pg.Notification): void {
    if (channel === MIGRATIONS) this.emit('notification', { channel, payload })
    else if (this.#hears(taskOf(payload))) this.emit('notification', { channel: INSERTED, payload: '' })
  }

  /**
   * It listens from the beginning, and until it is released. Nobody told of a job that was added before, after the workers had looked: they look
   * again.
   */
  async query(): Promise<{ readonly rows: readonly never[] }> {
    this.emit('notification', { channel: INSERTED, payload: '' })
    return { rows: [] }
  }
}

/** The session of the database that listens. It ends once: PostgreSQL may end it while it is being left. */
class Session {
  readonly #client: pg.PoolClient
  #open = true

  /** @param onLost is called when the session is lost before it was ended. */
  constructor(client: pg.PoolClient, onLost: (error: Error) => void) {
    this.#client = client
    client.on('error', (error) => {
      if (!this.#open) return
      this.end()
      onLost(error)
    })
  }

  /** Ends the session, and with it the listening. */
  end(): void {
    if (!this.#open) return
    this.#open = false
    this.#client.release(true)
  }
}

/** Called with what to hear by, or why there is none, as `Pool.connect` calls its callback. */
export type OnHearer = (error: Error | undefined, hearer: Hearer | undefined, release: () => void) => void

/**
 * Tells the workers of each lane about new jobs of their own tasks, and of no others: every look for a job is a statement that
 * writes. One connection listens for all lanes.
 */
export class Arrivals {
  readonly #pool: pg.Pool
  readonly #hearers = new Set<Hearer>()
  #session: Promise<Session> | undefined

  constructor(pool: pg.Pool) {
    this.#pool = pool
  }

  /** Begins to listen for the workers of a lane. When the connection is lost they are told, and ask again. */
  listen(hears: (task: string) => boolean, onHearer: OnHearer): void {
    const hearer = new Hearer(hears)
    this.#hearers.add(hearer)
    const release = (): void => this.#leave(hearer)
    this.#connected().then(
      () => onHearer(undefined, hearer, release),
      (error: unknown) => {
        release()
        onHearer(error instanceof Error ? error : new Error(String(error)), undefined, () => {})
      },
    )
  }

  #connected(): Promise<Session> {
    if (this.#session !== undefined) return this.#session
    const session = this.#connect()
    this.#session = session
    session.catch(() => this.#forget(session))
    return session
  }

  async #connect(): Promise<Session> {
    const client = await this.#pool.connect()
    client.on('notification', (message) => {
      for (const hearer of this.#hearers) hearer.hear(message)
    })
    const session = new Session(client, (error) => this.#lose(error))
    try {
      await client.query(`listen "${CHANNEL}"; listen "${MIGRATIONS}"`)
    } catch (error) {
      session.end()
      throw error
    }
    return session
  }

  #lose(error: Error): void {
    this.#session = undefined
    const told = [...this.#hearers]
    this.#hearers.clear()
    for (const hearer of told) if (hearer.listenerCount('error') > 0) hearer.emit('error', error)
  }

  #leave(hearer: Hearer): void {
    if (!this.#hearers.delete(hearer) || this.#hearers.size > 0) return
    const session = this.#session
    if (session === undefined) return
    this.#forget(session)
    session.then(
      (one) => one.end(),
      () => {},
    )
  }

  #forget(session: Promise<Session>): void {
    if (this.#session === session) this.#session = undefined
  }
}
