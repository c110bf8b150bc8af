import type { FastifyInstance } from 'fastify'
import type { Static, TObject } from 'typebox'
import { Check, Errors } from 'typebox/schema'
import type { Log } from '#platform/context.ts'
import type { Author, TransactionSource, Tx } from '#platform/db/transaction.ts'
import type { Tracer } from '#platform/telemetry/tracer.ts'
import type { Lane } from './lanes.ts'

/** What the queue itself takes, whatever its tasks need. */
export interface QueueServices extends TransactionSource {
  readonly log: Log
  /** Undefined where nobody wants traces. */
  readonly tracer: Tracer | undefined
}

/**
 * Jobs get what requests get (`app.services`), but for the connections of requests: `db` has those of the job's lane,
 * so jobs never delay requests.
 */
export type JobServices = Omit<FastifyInstance['services'], 'connections' | 'pool' | 'close'>

/** What is known of the run of a job. */
export interface JobRun {
  /** 1 on the first run. */
  readonly attempt: number
  /** Aborted when the process is about to stop. Long work should then end; it runs again later. */
  readonly signal: AbortSignal
}

/**
 * What a task gets besides its payload. A task that needs less than everything may say so in its type, and then runs
 * where there is no more.
 */
export type JobContext<S extends QueueServices = JobServices> = S &
  JobRun & {
    /** Writes in one transaction, on behalf of the system or of the author named. */
    readonly transact: <T>(work: (tx: Tx) => Promise<T>, author?: Author) => Promise<T>
  }

/** A task with any payload. */
export interface AnyTask<S extends QueueServices = JobServices> {
  readonly name: string
  readonly lane: Lane
  /** Checks a payload that was read from the database and runs the task. */
  readonly execute: (json: unknown, job: JobContext<S>) => Promise<void>
}

export interface Task<P extends TObject, S extends QueueServices = JobServices> extends AnyTask<S> {
  readonly payload: P
}

/**
 * A kind of background work. A job runs again when its process dies before recording its success, so `run` must be
 * idempotent: running twice has the effect of running once.
 *
 * @param name never changes: waiting jobs are found by it.
 * @param lane decides which tasks it shares workers and connections with: `long` for what may take more than seconds.
 * @param payload ids rather than copies; new fields are optional, because old jobs may be waiting.
 */
export function defineTask<const P extends TObject, S extends QueueServices = JobServices>(
  name: string,
  lane: Lane,
  payload: P,
  run: (payload: Static<P>, job: JobContext<S>) => Promise<void>,
): Task<P, S> {
  return {
    name,
    lane,
    payload,
    async execute(json, job) {
      if (!Check(payload, json)) throw new Error(`Payload of ${name}: ${faults(payload, json)}`)
      await run(json, job)
    },
  }
}

function faults(schema: TObject, value: unknown): string {
  const [, problems] = Errors(schema, value)
  return problems.map(({ instancePath, message }) => `${instancePath || 'it'} ${message}`).join(', ')
}
