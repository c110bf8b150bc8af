import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { type FirstStart, firstStart } from '#administration/instance/first-start.ts'
import type { Plan } from '#platform/access/route-access.ts'
import type { LicensedPlan } from '#platform/db/schema.ts'
import { migrateJobs } from '#platform/jobs/migrate.ts'
import { startJobs } from '#platform/jobs/start.ts'
import { startEmbedded } from '#platform/db/embedded/index.ts'
import { DatabaseClock } from '#platform/db/clock.ts'
import { migrate } from '#platform/db/migrate.ts'
import { adoptFiles } from '#platform/files/adopt-files.ts'
import { licenseInstance } from '#administration/licenses/license-instance.ts'
import type { OnStatement } from '#platform/db/driver.ts'
import { type DatabaseAddress, openPool } from '#platform/db/pool.ts'
import { buildApp, tasks, schedule } from './app.ts'
import type { Config } from '#platform/config/config.ts'
import { type Clock, type Log, type Randomness, systemRandomness } from '#platform/context.ts'
import type { Transport } from '#platform/http/transport.ts'
import { openServices, type Services } from './services.ts'
import { temporaryFolder } from '#platform/temporary-folder.ts'

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

/** Milliseconds that running requests get to end. */
const DRAIN = 10_000

/**
 * Starts everything: database, schema, jobs, HTTP. What was started is stopped again when a later part fails.
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { log, random = systemRandomness } = options
  const databaseClock = new DatabaseClock()
  const { clock = databaseClock } = options
  await using cleanup = new AsyncDisposableStack()
  const config = options.ephemeral
    ? { ...options.config, data: cleanup.use(await temporaryFolder()).path }
    : options.config
  const address = options.address ?? (await openDatabase(config, options, cleanup))
  options.signal?.throwIfAborted()
  await migrateAll(address, log)
  const services = await openServices({ ...options, config, address, clock, random })
  cleanup.defer(() => services.close())
  await databaseClock.follow(services.pool)
  cleanup.defer(() => databaseClock.stop())
  const first = await firstStart({
    db: services.db,
    clock,
    random,
    rootPassword: config.rootPassword,
    rootToken: config.rootToken,
    withPassword: options.withPassword ?? true,
    policy: services.settings(),
  })
  if (first !== undefined) options.onFirstStart?.(first, config.data)
  if (options.licensedFor !== undefined) await licenseInstance(services, options.licensedFor)
  await adoptFiles({ config, db: services.db, log })
  const app = await buildApp(services, log, options.transport)
  options.signal?.throwIfAborted()
  const onStatement = () => services.metrics.countStatement()
  const jobs = await startJobs({ address, services: { ...services, log }, tasks, schedule, onStatement })
  cleanup.defer(() => jobs.stop())
  services.readiness.add('jobs', () => (jobs.running() ? undefined : 'are not running'))
  await app.listen({ host: config.host, port: config.port })
  cleanup.defer(() => closeWithin(app, DRAIN))
  const { port } = addressOf(app)
  const all = cleanup.move()
  let stopping: Promise<void> | undefined
  return {
    url:
      config.externalUrl ?? `http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${port}`,
    app,
    services,
    stop: () => (stopping ??= all.disposeAsync()),
  }
}

/** Only brings the schema up to date. @returns the migrations applied. */
export async function migrateAll(address: DatabaseAddress, log: Log): Promise<string[]> {
  const pool = openPool(address, 2)
  try {
    const onWait = (): void => log.info({}, 'waiting for another node, which is migrating the database')
    const applied = await migrate(pool, { onWait })
    await migrateJobs(pool)
    if (applied.length > 0) log.info({ migrations: applied }, 'database migrated')
    return applied
  } finally {
    await pool.end()
  }
}

/** The database that the configuration names: an external one, or the embedded one, started here. */
export async function openDatabase(
  config: Config,
  { log, ephemeral = false, signal }: Pick<ServerOptions, 'log' | 'ephemeral' | 'signal'>,
  cleanup: AsyncDisposableStack,
): Promise<DatabaseAddress> {
  if (config.databaseUrl !== undefined) return { connectionString: config.databaseUrl }
  const embedded = await startEmbedded({
    dataDir: config.data,
    ephemeral,
    log,
    secretKey: config.secretKey,
    ...(signal && { signal }),
  })
  cleanup.defer(() => embedded.stop())
  return embedded.connection
}

async function closeWithin(app: FastifyInstance, milliseconds: number): Promise<void> {
  // Node closes the connections that are idle now; those whose request ends later would be kept for the next one.
  const idle = setInterval(() => app.server.closeIdleConnections(), 50)
  const hurry = setTimeout(() => app.server.closeAllConnections(), milliseconds)
  try {
    await app.close()
  } finally {
    clearInterval(idle)
    clearTimeout(hurry)
  }
}

function addressOf(app: FastifyInstance): AddressInfo {
  const address = app.server.address()
  if (address === null || typeof address === 'string') throw new Error('The server listens on no port')
  return address
}
