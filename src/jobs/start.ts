import { EventEmitter } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { run, type WorkerEvents, type WorkerPool } from 'graphile-worker'
import type pg from 'pg'
import { transact } from '#db/transaction.ts'
import { forGraphile, graphileLogger, taskList } from './graphile.ts'
import { Heartbeat } from './heartbeat.ts'
import { cronItems, type Scheduled } from './schedule.ts'
import type { AnyTask, JobServices } from './task.ts'

export interface JobsOptions {
  readonly pool: pg.Pool
  readonly context: JobServices
  readonly tasks: readonly AnyTask[]
  readonly schedule?: readonly Scheduled[]
  /** Jobs at a time in this process. */
  readonly concurrency?: number
  /** Milliseconds between looks for due retries, and for jobs whose notification was lost. */
  readonly pollInterval?: number
  /** Milliseconds between two signs of life. */
  readonly heartbeat?: number
  /** Milliseconds without a sign of life after which a worker's jobs run elsewhere. */
  readonly deadAfter?: number
  /** Milliseconds that running jobs get to end when the process stops. */
  readonly drain?: number
}

export interface Jobs {
  /** Whether jobs are being taken now; false while the database is away. */
  running(): boolean
  /** Takes no new jobs, waits for the running ones within the bound, and frees what is left for others. */
  stop(): Promise<void>
}

const defaults = {
  schedule: [],
  concurrency: 4,
  pollInterval: 2_000,
  heartbeat: 5_000,
  deadAfter: 20_000,
  drain: 10_000,
}

/**
 * Runs jobs in this process until stopped. The schema of {@link migrateJobs} must be there. When the database
 * goes away it tries again until it is back.
 *
 * @throws when the first start fails, or a scheduled task is not among the tasks.
 */
export async function startJobs(options: JobsOptions): Promise<Jobs> {
  const jobs = new Supervisor({ ...defaults, ...options })
  await jobs.start()
  return jobs
}

class Supervisor implements Jobs {
  readonly #options: Required<JobsOptions>
  readonly #heartbeat: Heartbeat
  readonly #pools = new Set<WorkerPool>()
  readonly #stopping = new AbortController()
  #current: Runner | undefined
  #restarting: Promise<void> = Promise.resolve()

  constructor(options: Required<JobsOptions>) {
    this.#options = options
    const { context, heartbeat: interval, deadAfter, tasks, schedule } = options
    const missing = schedule.find(({ task }) => !tasks.includes(task))
    if (missing !== undefined) throw new Error(`${missing.task.name} is scheduled but not among the tasks`)
    this.#heartbeat = new Heartbeat({ db: context.db, log: context.log, interval, deadAfter })
  }

  running(): boolean {
    return this.#current !== undefined
  }

  async start(): Promise<void> {
    try {
      this.#current = await this.#run()
    } catch (error) {
      await this.#heartbeat.stop()
      throw error
    }
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#restarting
    const runner = this.#current
    this.#current = undefined
    // Its promise also waits for the scheduler's back-off, which may be a minute: the pools are what matters.
    runner?.stop().catch(() => {})
    const drained = Promise.all([...this.#pools].map((pool) => pool.promise.catch(() => {})))
    const late = new AbortController()
    const inTime = await Promise.race([
      drained.then(() => true),
      pause(this.#options.drain, false, { signal: late.signal }).catch(() => false),
    ])
    late.abort()
    if (!inTime) this.#options.context.log.warn({}, 'stopping while jobs run; they will run again elsewhere')
    await this.#heartbeat.stop()
  }

  async #run(): Promise<Runner> {
    const { pool, context, tasks, schedule, concurrency, pollInterval, drain } = this.#options
    const events: WorkerEvents = new EventEmitter()
    events.on('pool:create', ({ workerPool }) => this.#pools.add(workerPool))
    let failures = 0
    events.on('job:start', () => (failures = 0))
    events.on('worker:getJob:empty', () => (failures = 0))
    events.on('worker:getJob:error', ({ worker }) => {
      // Begin anew: the library goes on asking, but when its first question failed, it fails for ever.
      if (++failures === concurrency * 3) void worker.workerPool.gracefulShutdown('jobs cannot be read')
    })
    events.on('pool:gracefulShutdown', () => this.#onEnd(events))
    events.on('pool:release', ({ workerPool }) => {
      this.#pools.delete(workerPool)
      this.#heartbeat.leave(workerPool.id)
    })
    return run({
      pgPool: forGraphile(pool),
      logger: graphileLogger(context.log),
      noHandleSignals: true,
      events,
      parsedCronItems: cronItems(schedule),
      taskList: taskList(tasks, (job) => ({
        ...context,
        ...job,
        transact: (work, author) => transact(context, { author: author ?? null, ip: null }, work),
      })),
      preset: {
        worker: {
          concurrentJobs: concurrency,
          pollInterval,
          // Half of the time to end by itself, the other half after it was told to.
          gracefulShutdownAbortTimeout: drain / 2,
          // Unbatched, a success that cannot be noted because the database is away is an unhandled
          // rejection, which ends the process (0.18: worker.ts calls completeJob without awaiting it).
          completeJobBatchDelay: 0,
          failJobBatchDelay: 0,
        },
        plugins: [this.#registration()],
      },
    })
  }

  /** Before a worker takes its first job, the lock it will hold must be on record. */
  #registration(): GraphileConfig.Plugin {
    const startWorker = async (
      _: unknown,
      { worker }: { worker: { workerPool: WorkerPool } },
    ): Promise<void> => this.#heartbeat.join(worker.workerPool.id)
    return { name: 'forgelet-heartbeat', version: '1', worker: { hooks: { startWorker } } }
  }

  /** The library ends its pool when the success or failure of a job cannot be noted. */
  #onEnd(events: WorkerEvents): void {
    if (this.#stopping.signal.aborted || this.#current?.events !== events) return
    this.#current = undefined
    this.#restarting = this.#restart()
  }

  async #restart(): Promise<void> {
    const { log } = this.#options.context
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

type Runner = Awaited<ReturnType<typeof run>>
