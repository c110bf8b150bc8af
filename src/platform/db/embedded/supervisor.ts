import { dirname } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Account } from './account.ts'
import type { Binaries } from './binaries.ts'
import { adviceOn, EmbeddedUnavailable, messageOf } from './errors.ts'
import { clearOrphans } from './processes.ts'
import { launchServer, within, type Server } from './server.ts'
import type { ServerLog } from './server-log.ts'
import { cleanEnvironment, serverArguments } from './settings.ts'
import { restoreSocketFolder } from './socket-folder.ts'
import type { EmbeddedState, Log } from './types.ts'
import type { Watchdog } from './watchdog.ts'

interface Supervised {
  cluster: string
  socketFolder: string
  account: Account
  binaries: Binaries
  env: Record<string, string>
  ephemeral: boolean
  serverLog: ServerLog
  watchdog: Watchdog
  log: Log
  onState: (state: EmbeddedState) => void
}

/** A server that ran this long was sound: its end is an accident, not a fault that would return at once. */
const SOUND_AFTER = 10_000
const LONGEST_PAUSE = 5000
const FIRST_START_PATIENCE = 15_000

/** Processes of the old server are still ending. Try again at once. */
const LEAVING = /shared memory block .* is still in use|lock file "[^"]*" already exists/

/** Keeps one server running on one cluster until it is stopped. */
export class Supervisor {
  readonly #with: Supervised
  readonly #stopping = new AbortController()
  #server: Server | undefined
  #state: EmbeddedState = 'starting'
  #supervision: Promise<void> = Promise.resolve()

  constructor(supervised: Supervised) {
    this.#with = supervised
  }

  get state(): EmbeddedState {
    return this.#state
  }

  get pid(): number | undefined {
    return this.#server?.pid
  }

  /** Resolves when the first server accepts connections. Rejects when none can be started. */
  async start(): Promise<void> {
    const deadline = Date.now() + FIRST_START_PATIENCE
    for (;;) {
      const server = await this.#launch()
      if (await server.ready) {
        this.#supervision = this.#supervise(server)
        return
      }
      const how = await this.#ended(server)
      this.#stopping.signal.throwIfAborted()
      const { serverLog } = this.#with
      if (!LEAVING.test(serverLog.recent()) || Date.now() > deadline) {
        throw new EmbeddedUnavailable(
          `PostgreSQL did not start (${how}):\n${serverLog.recent()}\nThe whole log is ${serverLog.path}. ` +
            (adviceOn(serverLog.recent(), dirname(serverLog.path)) ??
              'To use a PostgreSQL server of your own set FORGELET_DATABASE_URL.'),
        )
      }
      await this.#pause(50)
    }
  }

  /** Stops the server in order, and after a time by force. No server is started afterwards. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error('the embedded PostgreSQL was stopped'))
    const server = this.#server
    if (server !== undefined) await this.#end(server)
    await this.#supervision
    await clearOrphans(this.#with.cluster, this.#with.log)
    this.#with.watchdog.watch(undefined)
  }

  become(state: EmbeddedState): void {
    if (this.#state === state) return
    this.#state = state
    this.#with.onState(state)
  }

  async #end(server: Server): Promise<void> {
    if (!this.#with.ephemeral) {
      server.signal('SIGINT')
      if (await within(10_000, server.exited)) return
      this.#with.log.warn({ postmaster: server.pid }, 'PostgreSQL does not shut down: ending it at once')
    }
    server.signal('SIGQUIT')
    if (await within(5000, server.exited)) return
    server.signal('SIGKILL')
    await server.exited
  }

  async #supervise(first: Server): Promise<void> {
    let server: Server = first
    let failures = 0
    let startedAt = Date.now()
    for (;;) {
      const how = await this.#ended(server)
      if (this.#stopping.signal.aborted) return
      this.become('restarting')
      if (Date.now() - startedAt > SOUND_AFTER) failures = 0
      this.#report(how, failures)
      const pause = LEAVING.test(this.#with.serverLog.recent()) ? 50 : 100 * 2 ** (failures - 1)
      if (failures > 0) await this.#pause(Math.min(pause, LONGEST_PAUSE)).catch(() => {})
      failures++
      const next = await this.#relaunch()
      if (next === undefined) return
      server = next
      startedAt = Date.now()
    }
  }

  /** Launches until a launch succeeds; undefined when stopped meanwhile. */
  async #relaunch(): Promise<Server | undefined> {
    for (let pause = 100; ; pause = Math.min(pause * 2, LONGEST_PAUSE)) {
      if (this.#stopping.signal.aborted) return undefined
      try {
        return await this.#launch()
      } catch (error) {
        if (this.#stopping.signal.aborted) return undefined
        this.#with.log.error(
          { err: error },
          `PostgreSQL cannot be restarted, trying again: ${messageOf(error)}`,
        )
        await this.#pause(pause).catch(() => {})
      }
    }
  }

  async #launch(): Promise<Server> {
    const { account, binaries, cluster, socketFolder, ephemeral, watchdog } = this.#with
    await clearOrphans(cluster, this.#with.log)
    await restoreSocketFolder(socketFolder, account)
    this.#stopping.signal.throwIfAborted()
    const args = serverArguments(cluster, socketFolder, ephemeral, binaries.major)
    const command = account.command(binaries.postgres, args)
    const server = launchServer({
      ...command,
      env: cleanEnvironment(this.#with.env),
      log: this.#with.serverLog,
      onAccepting: (accepting) => this.#accepting(server, accepting),
    })
    this.#server = server
    watchdog.watch(server.pid)
    return server
  }

  #accepting(server: Server, accepting: boolean): void {
    if (this.#server !== server || this.#stopping.signal.aborted || this.#state === 'starting') return
    if (accepting) this.#with.log.info({ postmaster: server.pid }, 'PostgreSQL accepts connections again')
    else this.#with.log.warn({ postmaster: server.pid }, 'a PostgreSQL backend crashed: the server recovers')
    this.become(accepting ? 'running' : 'restarting')
  }

  /** Waits for the postmaster to end. It does not wait for the backends, which may be busy for long. */
  async #ended(server: Server): Promise<string> {
    const how = await server.exited
    if (this.#server === server) this.#server = undefined
    this.#with.watchdog.watch(undefined)
    return how
  }

  #report(how: string, failures: number): void {
    const { log, serverLog } = this.#with
    const advice =
      failures < 3
        ? ''
        : ` Is the disk full, or memory short? Its last lines are below, all of them in ${serverLog.path}.`
    const details = failures < 3 ? { how } : { how, lines: serverLog.recent() }
    log.error(details, `PostgreSQL ended unexpectedly: restarting it.${advice}`)
  }

  #pause(milliseconds: number): Promise<void> {
    return delay(milliseconds, undefined, { signal: this.#stopping.signal })
  }
}
