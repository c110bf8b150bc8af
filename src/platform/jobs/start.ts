import type { Log } from '#platform/context.ts'
import type { OnStatement } from '#platform/db/driver.ts'
import { fast, type Sending } from '#platform/db/fast/sending.ts'
import { type DatabaseAddress, type Db, openDb } from '#platform/db/pool.ts'
import { Arrivals } from './arrivals.ts'
import { type JobConnections, openJobConnections } from './connections.ts'
import { Heartbeat } from './heartbeat.ts'
import { laneNames, lanes } from './lanes.ts'
import { Runner } from './runner.ts'
import type { Scheduled } from './schedule.ts'
import type { AnyTask, JobServices, QueueServices } from './task.ts'

export interface JobsOptions<S extends QueueServices = JobServices> {
  readonly address: DatabaseAddress
  readonly log: Log
  /** What jobs may use, over the connections of their lane. */
  readonly services: (db: Db) => S
  readonly tasks: readonly AnyTask<S>[]
  readonly schedule?: readonly Scheduled<S>[]
  /** Called for each statement that jobs send. */
  readonly onStatement?: OnStatement
  readonly sending?: Sending
  /** Milliseconds between polls for due retries, and for jobs whose notification was lost. */
  readonly pollInterval?: number
  /** Milliseconds between two heartbeats. */
  readonly heartbeat?: number
  /** Milliseconds without a heartbeat after which a worker's jobs run elsewhere. */
  readonly deadAfter?: number
  /** Milliseconds that running jobs have to end when the process stops. */
  readonly drain?: number
}

export interface Jobs {
  /** Whether every lane takes jobs now; false while the database is down. */
  running(): boolean
  /** Takes no new jobs, waits for the running ones within the bound, and frees the rest for others. */
  stop(): Promise<void>
}

const defaults = {
  schedule: [],
  onStatement: () => {},
  sending: fast,
  pollInterval: 2_000,
  heartbeat: 5_000,
  deadAfter: 20_000,
  drain: 10_000,
}

/** Milliseconds that connections have to close once no job should use them any more. */
const CLOSING = 1_000

/**
 * Runs jobs in this process until stopped. `migrateJobs` must have made the schema. When the database goes down it
 * retries until the database is back.
 *
 * @throws when the first start fails, or a scheduled task is not among the tasks.
 */
export async function startJobs<S extends QueueServices>(options: JobsOptions<S>): Promise<Jobs> {
  const settings = { ...defaults, ...options }
  const missing = settings.schedule.find(({ task }) => !settings.tasks.includes(task))
  if (missing !== undefined) throw new Error(`${missing.task.name} is scheduled but not among the tasks`)
  const jobs = new LanesOfJobs(settings)
  await jobs.start()
  return jobs
}

class LanesOfJobs<S extends QueueServices> implements Jobs {
  readonly #options: Required<JobsOptions<S>>
  readonly #connections: JobConnections
  readonly #arrivals: Arrivals
  readonly #heartbeat: Heartbeat
  readonly #runners: readonly Runner<S>[]
  #stopped: Promise<void> | undefined

  constructor(options: Required<JobsOptions<S>>) {
    const { address, log, onStatement, sending, heartbeat: interval, deadAfter } = options
    this.#options = options
    this.#connections = openJobConnections(address, onStatement, sending)
    this.#arrivals = new Arrivals(this.#connections.queue)
    const db = openDb(this.#connections.queue)
    this.#heartbeat = new Heartbeat({ db, log, interval, deadAfter })
    this.#runners = this.#lanes()
  }

  /** A runner for each lane that has tasks. */
  #lanes(): Runner<S>[] {
    const { services, tasks, schedule, pollInterval, drain } = this.#options
    return laneNames.flatMap((lane) => {
      const own = tasks.filter((task) => task.lane === lane)
      if (own.length === 0) return []
      return new Runner({
        queue: this.#connections.queue,
        arrivals: this.#arrivals,
        services: services(this.#connections.of(lane)),
        heartbeat: this.#heartbeat,
        tasks: own,
        schedule: schedule.filter(({ task }) => task.lane === lane),
        workers: lanes[lane].workers,
        pollInterval,
        drain,
      })
    })
  }

  running(): boolean {
    return this.#runners.every((runner) => runner.running())
  }

  async start(): Promise<void> {
    try {
      await Promise.all(this.#runners.map((runner) => runner.start()))
    } catch (error) {
      await this.stop()
      throw error
    }
  }

  stop(): Promise<void> {
    return (this.#stopped ??= this.#stop())
  }

  async #stop(): Promise<void> {
    const ended = await Promise.all(this.#runners.map((runner) => runner.stop()))
    if (ended.includes(false)) {
      this.#options.log.warn({}, 'stopping while jobs run; they will run again elsewhere')
    }
    await this.#heartbeat.stop()
    await this.#connections.close(CLOSING)
  }
}
