import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import type { FirstStart } from '#instance/first-start.ts'
import type { Plan } from '#access/route-access.ts'
import type { LicensedPlan } from '#db/schema.ts'
import { startEmbedded } from '#db/embedded/index.ts'
import type { OnStatement } from '#db/driver.ts'
import type { DatabaseAddress } from '#db/pool.ts'
import type { Config } from './config.ts'
import type { Clock, Randomness } from './context.ts'
import type { Transport } from './http/transport.ts'
import type { Services } from './services.ts'
import { temporaryFolder } from './temporary-folder.ts'

export interface ServerOptions {
  readonly config: Config
  readonly log: Logger
  /** A temporary data folder without durability, gone at the end. */
  readonly ephemeral?: boolean
  readonly clock?: Clock
  readonly random?: Randomness
  /** A database that is running already, instead of what the configuration says. */
  readonly address?: DatabaseAddress
  /** Whether the administrator gets a password; hashing one takes a moment. */
  readonly withPassword?: boolean
  readonly onStatement?: OnStatement
  /** A plan for which a fresh instance gets a license. */
  readonly licensedFor?: LicensedPlan
  /** For our own tests of what needs a plan: it counts for this process alone, whatever the licenses say. */
  readonly plan?: Plan
  /** For tests of slow and large requests. */
  readonly transport?: Transport
  /**
   * Told what is shown once, and the data folder, as soon as it is true: a start that fails later must not take it
   * along.
   */
  readonly onFirstStart?: (first: FirstStart, dataDir: string) => void
  /** Gives up a start under way. */
  readonly signal?: AbortSignal
}

export interface RunningServer {
  readonly url: string
  readonly app: FastifyInstance
  readonly services: Services
  /** Drains: no new connections, running requests and jobs end (bounded), then the database stops. */
  stop(): Promise<void>
}

/**
 * Starts everything: database, schema, jobs, HTTP. What was started is stopped again when a later part fails.
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  await using cleanup = new AsyncDisposableStack()
  const config = options.ephemeral
    ? { ...options.config, data: cleanup.use(await temporaryFolder()).path }
    : options.config
  // Most of the program is loaded while PostgreSQL starts or, the first time, initdb runs: each takes a core.
  const load = () => import('./serving.ts')
  const address =
    options.address ?? (await openDatabase(config, { ...options, onProcess: () => void load() }, cleanup))
  options.signal?.throwIfAborted()
  const { serveOn } = await load()
  const running = await serveOn(address, { ...options, config }, cleanup)
  const all = cleanup.move()
  let stopping: Promise<void> | undefined
  return { ...running, stop: () => (stopping ??= all.disposeAsync()) }
}

export interface DatabaseOptions extends Pick<ServerOptions, 'log' | 'ephemeral' | 'signal'> {
  /** Told when a program of PostgreSQL begins its work, which this process can use for its own. */
  readonly onProcess?: () => void
}

/** The database that the configuration names: an external one, or the embedded one, started here. */
export async function openDatabase(
  config: Config,
  { log, ephemeral = false, signal, onProcess }: DatabaseOptions,
  cleanup: AsyncDisposableStack,
): Promise<DatabaseAddress> {
  if (config.databaseUrl !== undefined) return { connectionString: config.databaseUrl }
  const embedded = await startEmbedded({
    dataDir: config.data,
    ephemeral,
    log,
    secretKey: config.secretKey,
    ...(signal && { signal }),
    ...(onProcess && { onProcess }),
  })
  cleanup.defer(() => embedded.stop())
  return embedded.connection
}
