import type { FastifyInstance } from 'fastify'
import type { Pool } from 'pg'
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import { collisionOf } from '#platform/db/errors.ts'
import type { Db } from '#platform/db/pool.ts'
import { registerJobMetrics } from '#platform/jobs/metrics.ts'

/** What a server measures of itself, for Prometheus. Each server of a process has its own. */
export class Metrics {
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

  /** One statement is being sent to the database. */
  countStatement(): void {
    this.#statements += 1
  }

  /** Somebody did something more often than they may. */
  countRefusal(limit: string): void {
    this.#refusals.inc({ limit })
  }

  /** A transaction begins anew. */
  countRunAgain(error: unknown): void {
    this.#runsAgain.inc({ collision: collisionOf(error) })
  }

  /** Every answer counts under its route's pattern; paths are without number. */
  measureRequests(app: FastifyInstance): void {
    app.addHook('onResponse', (request, reply, done) => {
      const { method, routeOptions } = request
      // 0.5 µs, measured.
      this.#requests.observe(
        { method, route: routeOptions.url ?? 'none', status: reply.statusCode },
        reply.elapsedTime / 1000,
      )
      done()
    })
  }

  /** Adds what is read when somebody asks. */
  watchDatabase(pool: Pool, db: Db): void {
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
    const connections = new Gauge({
      name: 'forgelet_database_connections',
      help: 'Connections of the pool that serves requests: busy, idle; waiting are requests without one',
      labelNames: ['state'],
      registers,
      collect: () => {
        connections.set({ state: 'busy' }, pool.totalCount - pool.idleCount)
        connections.set({ state: 'idle' }, pool.idleCount)
        connections.set({ state: 'waiting' }, pool.waitingCount)
      },
    })
    registerJobMetrics(this.#registry, db)
  }

  /** Everything in Prometheus's text format. What comes from the database is left out while it is away. */
  async print(): Promise<string> {
    return (await Promise.all([this.#registry.metrics(), processMetrics().metrics()])).join('\n')
  }
}

let ofProcess: Registry | undefined

/** Memory, CPU, event loop: of the process, whatever runs in it; measured from the first time that somebody asks. */
function processMetrics(): Registry {
  if (ofProcess === undefined) {
    ofProcess = new Registry()
    collectDefaultMetrics({ register: ofProcess })
  }
  return ofProcess
}
