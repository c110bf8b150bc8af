import { once } from 'node:events'
import type { Server } from 'node:http'
import { promisify } from 'node:util'
import type { FastifyInstance } from 'fastify'
import { repairAll } from '#code/repositories/repair.ts'
import { firstStart } from '#administration/instance/first-start.ts'
import { startJobs } from '#platform/jobs/start.ts'
import { DatabaseClock } from '#platform/db/clock.ts'
import { adoptFiles } from '#platform/files/adopt-files.ts'
import { licenseInstance } from '#administration/licenses/license-instance.ts'
import type { DatabaseAddress } from '#platform/db/pool.ts'
import { buildApp, httpServerOf, tasks, schedule } from './app.ts'
import { systemRandomness } from '#platform/context.ts'
import { sshSiteOf } from '#platform/config/ssh-variables.ts'
import type { Lane } from '#platform/jobs/lanes.ts'
import type { ListenAddress } from '#platform/config/config-values.ts'
import { defaultTransport } from '#platform/http/transport.ts'
import { migrateAll } from '#platform/migrate-all.ts'
import type { RunningServer, ServerOptions } from './server-options.ts'
import { jobServices, openServices } from './services.ts'

/** Milliseconds that running requests have to end. */
const DRAIN = 10_000

interface Serving extends ServerOptions {
  /** The database is on disk. Before that, nobody is answered. */
  readonly onDisk: Promise<void>
}

/** Does on a database what `startServer` promises. Puts whatever it starts on `cleanup`. */
export async function serveOn(
  address: DatabaseAddress,
  options: Serving,
  cleanup: AsyncDisposableStack,
): Promise<Omit<RunningServer, 'stop'>> {
  const { config, log, random = systemRandomness } = options
  const databaseClock = new DatabaseClock()
  const { clock = databaseClock } = options
  await migrateAll(address, log)
  let port = config.port
  const site = () => config.externalUrl ?? localUrl(config.host, port)
  let sshPort: number | undefined
  const sshSite = () => sshSiteOf(config, site(), sshPort)
  const { telemetry } = options
  const tracer = telemetry?.tracer
  const services = await openServices({ ...options, address, clock, random, site, sshSite, tracer })
  cleanup.defer(() => services.close())
  telemetry?.exportMetrics(() => services.metrics.read())
  // After the last request and job, and while the database can still be counted.
  if (telemetry !== undefined) cleanup.defer(() => telemetry.close())
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
  await services.workFolders.removeAbandoned()
  await repairAll(services.repositories)
  const { transport = defaultTransport } = options
  const app = await buildApp(services, log, transport)
  if (options.pages !== undefined) await app.register(options.pages)
  options.signal?.throwIfAborted()
  if (options.jobs ?? true) {
    // Without a mail server its lane would hold a connection for nothing.
    const isUsed = ({ lane }: { readonly lane: Lane }) => lane !== 'mail' || services.sendsMail
    const jobs = await startJobs({
      address,
      log,
      services: (db) => jobServices(services, db),
      tasks: tasks.filter(isUsed),
      schedule: schedule.filter(({ task }) => isUsed(task)),
      onStatement: services.countStatement,
      sending: services.connections.sending,
    })
    cleanup.defer(() => jobs.stop())
    services.readiness.add('jobs', () => (jobs.running() ? undefined : 'are not running'))
  }
  if (config.sshAddress !== undefined || config.sshUrl !== undefined || config.sshSocket !== undefined) {
    // Loaded where somebody wants it.
    const { startSsh } = await import('#code/git-ssh/start-ssh.ts')
    const ssh = await startSsh(services)
    cleanup.defer(() => ssh.close())
    sshPort = ssh.port
  }
  await options.onDisk
  const { registryAddress } = config
  const images =
    registryAddress && httpServerOf(services, transport, (...exchange) => app.routing(...exchange))
  cleanup.defer(() => closeWithin(app, images, DRAIN))
  await app.listen({ host: config.host, port: config.port })
  if (images !== undefined && registryAddress !== undefined) await listenAt(images, registryAddress)
  port = portOf(app) ?? port
  const url = site()
  services.mail?.listensAt(url)
  return {
    url,
    app,
    services,
  }
}

async function listenAt(server: Server, address: ListenAddress): Promise<void> {
  server.listen(address)
  await once(server, 'listening')
}

/** @param also a server besides that of the application */
async function closeWithin(
  app: FastifyInstance,
  also: Server | undefined,
  milliseconds: number,
): Promise<void> {
  const servers = also?.listening === true ? [app.server, also] : [app.server]
  // Node closes the connections that are idle now. It would keep those whose request ends later for the next request.
  const idle = setInterval(() => {
    for (const server of servers) server.closeIdleConnections()
  }, 50)
  const hurry = setTimeout(() => {
    for (const server of servers) server.closeAllConnections()
  }, milliseconds)
  try {
    const closing = servers.slice(1).map((server) => promisify(server.close.bind(server))())
    await Promise.all([app.close(), ...closing])
  } finally {
    clearInterval(idle)
    clearTimeout(hurry)
  }
}

const localUrl = (host: string, port: number): string =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`

/** The port that the server listens on; undefined before it does. */
function portOf(app: FastifyInstance): number | undefined {
  const address = app.server.address()
  return address === null || typeof address === 'string' ? undefined : address.port
}
