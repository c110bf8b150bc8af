import { EventEmitter } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { run, type WorkerEvents, type WorkerPool } from 'graphile-worker'
import type pg from 'pg'
import type { Arrivals } from './arrivals.ts'
import { jobContext } from './context.ts'
import { forGraphile, graphileLogger, taskList } from './graphile.ts'
import type { Heartbeat } from './heartbeat.ts'
import { cronItems, type Scheduled } from './schedule.ts'
import type { AnyTask, QueueServices } from './task.ts'

export interface RunnerOptions<S extends QueueServices> {
  /** The connections of the queue itself. */
  readonly queue: pg.Pool
  /** What tells the workers about new jobs. */
  readonly arrivals: Arrivals
  /** What the jobs use. */
  readonly services: S
  readonly heartbeat: Heartbeat
  readonly tasks: readonly AnyTask<S>[]
  readonly schedule: readonly Scheduled<S>[]
  /** Simultaneous jobs. */
  readonly workers: number
  readonly pollInterval: number
  readonly drain: number
}

/** Runs the jobs of one lane, and restarts after the database was down. */
export class Runner<S extends QueueServices> {
  readonly #options: RunnerOptions<S>
  readonly #pools = new Set<WorkerPool>()
  readonly #stopping = new AbortController()
  #current: GraphileRunner | undefined
  #restarting: Promise<void> = Promise.resolve()

  constructor(options: RunnerOptions<S>) {
    this.#options = options
  }

  /** Whether it takes jobs now; false while the database is down. */
  running(): boolean {
    return this.#current !== undefined
  }

  /** @throws when the database cannot be reached. */
  async start(): Promise<void> {
    this.#current = await this.#run()
  }

  /**
   * Takes no new jobs and waits for the running ones within the bound.
   * @returns whether all ended in time.
   */
  async stop(): Promise<boolean> {
    this.#stopping.abort()
    await this.#restarting
    const runner = this.#current
    this.#current = undefined
    // Its promise also waits for the scheduler's back-off, which may be a minute. Only the pools matter.
    runner?.stop().catch(() => {})
    const drained = Promise.all([...this.#pools].map((pool) => pool.promise.catch(() => {})))
    const late = new AbortController()
    const inTime = await Promise.race([
      drained.then(() => true),
      pause(this.#options.drain, false, { signal: late.signal }).catch(() => false),
    ])
    late.abort()
    return inTime
  }

  async #run(): Promise<GraphileRunner> {
    const { queue, arrivals, services, heartbeat, tasks, schedule, workers, pollInterval, drain } =
      this.#options
    const names = new Set(tasks.map(({ name }) => name))
    const events: WorkerEvents = new EventEmitter()
    events.on('pool:create', ({ workerPool }) => this.#pools.add(workerPool))
    let failures = 0
    events.on('job:start', () => (failures = 0))
    events.on('worker:getJob:empty', () => (failures = 0))
    events.on('worker:getJob:error', ({ worker }) => {
      // Restart: the library keeps polling, but after its first query failed, it fails for ever.
      if (++failures === workers * 3) void worker.workerPool.gracefulShutdown('jobs cannot be read')
    })
    events.on('pool:gracefulShutdown', () => this.#onEnd(events))
    events.on('pool:release', ({ workerPool }) => {
      this.#pools.delete(workerPool)
      heartbeat.leave(workerPool.id)
    })
    const runner = await run({
      pgPool: forGraphile(queue, arrivals, (task) => names.has(task)),
      logger: graphileLogger(services.log),
      noHandleSignals: true,
      events,
      parsedCronItems: cronItems(schedule),
      taskList: taskList(tasks, (job) => jobContext(services, job)),
      preset: {
        worker: {
          concurrentJobs: workers,
          pollInterval,
          // Jobs get half of the time to end by themselves, and the other half after the abort.
          gracefulShutdownAbortTimeout: drain / 2,
          // Unbatched, a success that cannot be recorded because the database is down becomes an unhandled rejection,
          // which ends the process (0.18: worker.ts calls completeJob without awaiting it).
          completeJobBatchDelay: 0,
          failJobBatchDelay: 0,
        },
        plugins: [registration(heartbeat)],
      },
    })
    // Workers take no jobs until they are registered.
    await Promise.all([...this.#pools].map(({ id }) => heartbeat.join(id)))
    return runner
  }

  /** The library ends its pool when it cannot record the success or failure of a job. */
  #onEnd(events: WorkerEvents): void {
    if (this.#stopping.signal.aborted || this.#current?.events !== events) return
    this.#current = undefined
    this.#restarting = this.#restart()
  }

  async #restart(): Promise<void> {
    const { log } = this.#options.services
    for (let attempt = 0; !this.#stopping.signal.aborted; attempt++) {
      const delay = Math.min(250 * 2 ** attempt, 5_000)
      await pause(delay, undefined, { signal: this.#stopping.signal }).catch(() => {})
      if (this.#stopping.signal.aborted) return
      try {
        this.#current = await this.#run()
        log.info({}, 'jobs run again')
        return
      } catch (error) {
        log.warn({ err: error }, 'jobs could not be restarted')
      }
    }
  }
}

type GraphileRunner = Awaited<ReturnType<typeof run>>

/** Registers the worker's lock before the worker takes its first job. */
function registration(heartbeat: Heartbeat): GraphileConfig.Plugin {
  const startWorker = async (_: unknown, { worker }: { worker: { workerPool: WorkerPool } }): Promise<void> =>
    heartbeat.join(worker.workerPool.id)
  return { name: 'forgelet-heartbeat', version: '1', worker: { hooks: { startWorker } } }
}
