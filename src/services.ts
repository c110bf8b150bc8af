import { Readers } from '#ci/config/reader/readers.ts'
import { openRepositories } from '#code/repositories/open-repositories.ts'
import type { Repositories } from '#code/repositories/repositories.ts'
import type { RouteAccess, Plan } from '#platform/access/route-access.ts'
import { type AddressRules, openAddressRules } from '#platform/access/address-rules.ts'
import { LastUsed } from '#platform/access/last-used.ts'
import type { Config } from '#platform/config/config.ts'
import type { Clock, Log, Randomness } from '#platform/context.ts'
import { deadlockIn } from '#platform/db/errors.ts'
import { fast, plainly } from '#platform/db/fast/sending.ts'
import { type Listener, openListener } from '#platform/db/listener.ts'
import type { OnStatement } from '#platform/db/driver.ts'
import { type DatabaseAddress, type Db, openDb } from '#platform/db/pool.ts'
import { openRequestConnections, type RequestConnections } from '#platform/db/request-connections.ts'
import { openSecrets, type Secrets } from '#platform/db/secrets.ts'
import { type FeatureFlags, openFeatureFlags } from '#platform/feature-flags/feature-flags.ts'
import { Files } from '#platform/files/files.ts'
import { FailedAuthentications } from '#platform/http/failed-authentications.ts'
import type { BodyMemory } from '#platform/http/incoming.ts'
import { type Limits, openLimits } from '#platform/http/limits.ts'
import { LongLists } from '#platform/http/long-lists.ts'
import type { Transport } from '#platform/http/transport.ts'
import type { MailServer } from '#platform/mail/mail-server.ts'
import { openMailServer } from '#platform/mail/open-mail-server.ts'
import { Guard } from '#platform/outgoing/guard.ts'
import { Outgoing } from '#platform/outgoing/outgoing.ts'
import { Metrics } from '#administration/instance/metrics.ts'
import { databaseReady, Readiness } from '#administration/instance/readiness.ts'
import type { Settings } from '#platform/settings/definitions.ts'
import type { JobServices } from '#platform/jobs/task.ts'
import type { Tracer } from '#platform/telemetry/tracer.ts'
import { WorkFolders } from '#platform/work-folders.ts'
import {
  type BroadcastMessagesView,
  openBroadcastMessages,
} from '#administration/broadcast-messages/current-messages.ts'
import { type LicensesView, openLicenses, planOn } from '#administration/licenses/current-license.ts'
import { dayOf } from '#platform/http/time.ts'
import { openSettings, type SettingsView } from '#platform/settings/settings.ts'
import type { Pool } from 'pg'

/** What every feature may use. The program (or a test) makes it once; it is reached as `app.services`. */
export interface Services {
  readonly config: Config
  /** The connections for writes, for what is no request. */
  readonly pool: Pool
  /** All connections that serve requests. */
  readonly connections: RequestConnections
  readonly db: Db
  /** Counts a statement. @returns what to call when it was answered, where somebody wants traces */
  readonly countStatement: () => (() => void) | undefined
  readonly clock: Clock
  readonly random: Randomness
  readonly onRunAgain: (error: unknown) => void
  readonly log: Log
  /** Where people reach the web pages: the external URL, or else where this process listens. */
  readonly site: () => string
  readonly listener: Listener
  readonly lastUsed: LastUsed
  readonly secrets: Secrets
  /** The files that people upload. */
  readonly files: Files
  /** Where jobs keep what they need for a while. */
  readonly workFolders: WorkFolders
  /** The git repositories. */
  readonly repositories: Repositories
  /** Processes that read configurations of pipelines. */
  readonly configurationReaders: Readers
  /** Requests to other servers that users cause. */
  readonly outgoing: Outgoing
  /** The mail server; undefined where the instance sends no mail. */
  readonly mail: MailServer | undefined
  readonly sendsMail: boolean
  /** Where clients reach SSH, as the beginning of an address; undefined where they do not. */
  readonly sshSite: () => string | undefined
  /** Lists that are not counted again for a while. */
  readonly longLists: LongLists
  /** The rate limits. */
  readonly limits: Limits
  /** Refuses addresses that keep sending wrong credentials. */
  readonly failedAuthentications: FailedAuthentications
  /** The current application settings, on every process. */
  readonly settings: () => Settings
  readonly settingsView: SettingsView
  /** The feature flags, and for whom they are on, on every process. */
  readonly featureFlags: FeatureFlags
  /** Which groups accept requests from some addresses only, on every process. */
  readonly addressRules: AddressRules
  readonly metrics: Metrics
  /** Undefined where nobody wants traces. */
  readonly tracer: Tracer | undefined
  /** What must work before this process receives requests. Parts that start later add their own checks. */
  readonly readiness: Readiness
  /** The current licenses of the instance, on every process. */
  readonly licenses: LicensesView
  /** What administrators tell people on pages now or later, on every process. */
  readonly broadcastMessages: BroadcastMessagesView
  /** The plan that today's license gives. */
  readonly currentPlan: () => Plan
  /** Writes what is still buffered and closes the connections. */
  close(): Promise<void>
}

declare module 'fastify' {
  interface FastifyInstance {
    readonly services: Services
    readonly db: Db
    readonly transport: Transport
    /** The memory that the bodies of all requests use together. */
    readonly bodyMemory: BodyMemory
  }
  interface FastifyContextConfig {
    access?: RouteAccess
  }
}

export interface ServicesOptions {
  readonly config: Config
  readonly address: DatabaseAddress
  readonly clock: Clock
  readonly random: Randomness
  readonly log: Log
  readonly site: () => string
  readonly sshSite?: () => string | undefined
  readonly onStatement?: OnStatement
  readonly tracer?: Tracer | undefined
  /** For tests of licensed areas: this plan counts as licensed for ever. */
  readonly plan?: Plan
}

/** Opens all services on a migrated database. */
export async function openServices(options: ServicesOptions): Promise<Services> {
  const { config, address, clock, random, log, site, tracer } = options
  const connections = openRequestConnections(
    address,
    config.databaseConnections,
    config.plainPg ? plainly : fast,
  )
  const metrics = new Metrics()
  const countStatement = () => {
    metrics.countStatement()
    return tracer?.countStatement()
  }
  const db = openDb(connections, (...statement) => {
    options.onStatement?.(...statement)
    return countStatement()
  })
  const onRunAgain = (error: unknown) => {
    metrics.countRunAgain(error)
    const deadlock = deadlockIn(error)
    if (deadlock !== undefined) log.warn({ deadlock }, 'a transaction ran again after a deadlock')
  }
  const warn = (what: string) => (error: unknown) => log.warn({ err: error }, what)
  const listener = await openListener({ address, onError: warn('notifications interrupted') })
  const views = await openViews({ db, listener, random, log, clock })
  const settings = views.settingsView.current
  const secrets = await openSecrets({ db, clock, secretKey: config.secretKey, dataDir: config.data })
  const lastUsed = new LastUsed({ db, clock, random, onRunAgain }, warn('last use of tokens not written'))
  const onRefusal = (name: string) => metrics.countRefusal(name)
  const limits = openLimits({ redisUrl: config.redisUrl, log, onRefusal })
  const mail = openMailServer(config, log)
  const sendsMail = mail !== undefined
  const source = { db, clock, random, onRunAgain, sendsMail }
  const repositories = await openRepositories({ config, address, source, log, settings })
  repositories.git.tracer = tracer
  const services: Services = {
    ...views,
    config,
    pool: connections.writes.pool,
    connections,
    db,
    countStatement,
    clock,
    random,
    onRunAgain,
    log,
    site,
    sshSite: options.sshSite ?? (() => undefined),
    listener,
    lastUsed,
    secrets,
    repositories,
    files: new Files({ config, db, random, log }),
    workFolders: new WorkFolders(config.data),
    configurationReaders: new Readers(),
    outgoing: new Outgoing(new Guard(settings), tracer),
    mail,
    sendsMail,
    longLists: new LongLists(),
    limits,
    failedAuthentications: new FailedAuthentications({ limits, settings }),
    settings,
    metrics,
    tracer,
    readiness: new Readiness(),
    currentPlan: () => options.plan ?? planOn(views.licenses.current(), dayOf(clock.now())),
    close: async () => {
      await services.configurationReaders.close()
      await repositories.close()
      await lastUsed.flush()
      await listener.stop()
      await limits.close()
      await mail?.close()
      await db.destroy()
    },
  }
  watchParts(services)
  return services
}

/** What each process keeps in memory and reads again when another one changes it. */
async function openViews({
  db,
  listener,
  random,
  log,
  clock,
}: Pick<Services, 'db' | 'listener' | 'random' | 'log' | 'clock'>) {
  const onError = (what: string) => (err: unknown) => log.warn({ err }, `${what} not read again`)
  return {
    settingsView: await openSettings({ db, listener, onError: onError('settings') }),
    licenses: await openLicenses({ db, listener, onError: onError('licenses') }),
    featureFlags: await openFeatureFlags({ db, listener, random, onError: onError('feature flags') }),
    broadcastMessages: await openBroadcastMessages({
      db,
      clock,
      listener,
      onError: onError('broadcast messages'),
    }),
    addressRules: await openAddressRules({ db, listener, onError: onError('address rules of groups') }),
  }
}

/** Lets the metrics and the readiness check look at the parts that may fail. */
function watchParts(services: Services): void {
  const { connections, db, limits, listener, mail, metrics, readiness, repositories } = services
  metrics.watchDatabase(connections, db)
  metrics.watchRepositories(repositories.git)
  readiness.add('database', databaseReady(db))
  // Everything works without Redis, so a failing one does not make this process unready.
  if (services.config.redisUrl !== undefined)
    readiness.add('redis', () => limits.problem(), { optional: true })
  readiness.add('listener', () => (listener.health().connected ? undefined : 'is not connected'))
  if (mail !== undefined) {
    metrics.watchMail(mail, db)
    // Mails wait in the outbox, so everything else works without the mail server.
    readiness.add('mail', () => mail.problem(), { optional: true })
  }
  // What is on other storages is served.
  const optional = () => repositories.storages.someWork
  readiness.add('repositories', () => repositories.storages.problem(), { optional })
}

/** What jobs get: the same services over the connections of their lane. */
export const jobServices = (services: Services, db: Db): JobServices => ({
  ...services,
  db,
  repositories: services.repositories.on({ ...services, db }),
})
