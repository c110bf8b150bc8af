import type { FastifyInstance } from 'fastify'
import { innerOf } from '#platform/http/inner-requests.ts'
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import { collisionOf } from '#platform/db/errors.ts'
import { registerGitMetrics } from '#code/git/metrics.ts'
import type { Git } from '#code/git/processes/git.ts'
import type { Db } from '#platform/db/pool.ts'
import type { RequestConnections } from '#platform/db/request-connections.ts'
import type { MetricValues } from '#platform/telemetry/telemetry.ts'
import type { MetricsRegister } from '#platform/metrics.ts'
import type { MailServer } from '#platform/mail/mail-server.ts'
import { registerMailMetrics } from '#platform/mail/metrics.ts'
import { registerJobMetrics } from '#platform/jobs/metrics.ts'

/** A server's own metrics for Prometheus. Each server of a process has its own. */
export class Metrics implements MetricsRegister {
  readonly #registry = new Registry()
  readonly #requests = new Histogram({
    name: 'forgelet_http_request_duration_seconds',
    help: 'Time to answer a request, by method, route and status',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [this.#registry],
  })
  readonly #refusals = new Counter({
    name: 'forgelet_limit_refusals_total',
    help: 'Requests that were answered 429, by the name of the limit',
    labelNames: ['limit'],
    registers: [this.#registry],
  })
  readonly #runsAgain = new Counter({
    name: 'forgelet_transactions_run_again_total',
    help: 'Transactions that began anew because others were in their way, by what stood in it',
    labelNames: ['collision'],
    registers: [this.#registry],
  })
  #statements = 0

  readonly contentType = this.#registry.contentType

  /** Counts a statement sent to the database. */
  countStatement(): void {
    this.#statements += 1
  }

  /** Counts a request that exceeded a limit. */
  countRefusal(limit: string): void {
    this.#refusals.inc({ limit })
  }

  /** Counts a transaction that starts again. */
  countRunAgain(error: unknown): void {
    this.#runsAgain.inc({ collision: collisionOf(error) })
  }

  /** Measures every answer under its route's pattern, because the number of paths is unbounded. */
  measureRequests(app: FastifyInstance): void {
    app.addHook('onResponse', (request, reply, done) => {
      if (innerOf(request) !== undefined) return done()
      const { method, routeOptions } = request
      // 0.5 µs, measured.
      this.#requests.observe(
        { method, route: routeOptions.url ?? 'none', status: reply.statusCode },
        reply.elapsedTime / 1000,
      )
      done()
    })
  }

  /** Adds metrics that are read at each scrape. */
  watchDatabase({ writes, reads, plannedOnce }: RequestConnections, db: Db): void {
    const registers = [this.#registry]
    const statements = new Counter({
      name: 'forgelet_database_statements_total',
      help: 'Statements sent to the database for requests and jobs',
      registers,
      collect: () => {
        statements.reset()
        statements.inc(this.#statements)
      },
    })
    const shares = { writes, reads, 'prepared reads': plannedOnce }
    const connections = new Gauge({
      name: 'forgelet_database_connections',
      help: 'Connections that serve requests, by share: busy, idle; waiting are statements and transactions without one',
      labelNames: ['share', 'state'],
      registers,
      collect: () => {
        for (const [share, { pool, waiting }] of Object.entries(shares)) {
          connections.set({ share, state: 'busy' }, pool.totalCount - pool.idleCount)
          connections.set({ share, state: 'idle' }, pool.idleCount)
          connections.set({ share, state: 'waiting' }, waiting + pool.waitingCount)
        }
      },
    })
    const callers = new Gauge({
      name: 'forgelet_database_caller_waiting',
      help: 'Statements that wait because their caller has as many at once as one caller may',
      labelNames: ['share'],
      registers,
      collect: () => {
        callers.set({ share: 'reads' }, reads.waiting)
        callers.set({ share: 'prepared reads' }, plannedOnce.waiting)
      },
    })
    registerJobMetrics(this.#registry, db)
  }

  /** Adds metrics of a feature. @returns what `add` makes */
  register<T>(add: (registry: Registry) => T): T {
    return add(this.#registry)
  }

  /** Adds metrics of the processes that work on repositories. */
  watchRepositories(git: Git): void {
    registerGitMetrics(this.#registry, git)
  }

  /** Adds metrics of the outbox and the mail server. */
  watchMail(server: MailServer, db: Db): void {
    registerMailMetrics(this.#registry, server, db)
  }

  /** The values of all metrics, for those who send them elsewhere. */
  async read(): Promise<MetricValues> {
    return (await Promise.all([this.#registry, processMetrics()].map((one) => one.getMetricsAsJSON()))).flat()
  }

  /** All metrics in Prometheus's text format. Those of the database are left out while it is away. */
  async print(): Promise<string> {
    return (await Promise.all([this.#registry.metrics(), processMetrics().metrics()])).join('\n')
  }
}

let ofProcess: Registry | undefined

/** Memory, CPU and event loop of the whole process, measured from the first scrape. */
function processMetrics(): Registry {
  if (ofProcess === undefined) {
    ofProcess = new Registry()
    collectDefaultMetrics({ register: ofProcess })
  }
  return ofProcess
}
