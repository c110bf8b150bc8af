import type { Static, TObject } from 'typebox'
import { Check, Errors } from 'typebox/schema'
import type { Author, TransactionSource, Tx } from '#platform/db/transaction.ts'
import type { Files } from '#platform/files/files.ts'
import type { MailServer } from '#platform/mail/mail-server.ts'
import type { Tracer } from '#platform/telemetry/tracer.ts'
import type { WorkFolders } from '#platform/work-folders.ts'
import type { Lane } from './lanes.ts'

/** Where jobs log what happened; pino's loggers fit. */
export interface Log {
  debug(details: object, message: string): void
  info(details: object, message: string): void
  warn(details: object, message: string): void
  error(details: object, message: string): void
}

/**
 * What a process gives to its jobs. A subsystem that jobs need (git, mail, …) adds its field here. The connections
 * are those of the job's lane, so jobs never delay requests.
 */
export interface JobServices extends TransactionSource {
  readonly log: Log
  readonly files: Files
  /** Where jobs keep what they need for a while. */
  readonly workFolders: WorkFolders
  /** Undefined where the instance sends no mail. */
  readonly mail?: MailServer | undefined
  /** Undefined where nobody wants traces. */
  readonly tracer?: Tracer | undefined
}

/** What a task gets besides its payload. */
export interface JobContext extends JobServices {
  /** 1 on the first run. */
  readonly attempt: number
  /** Aborted when the process is about to stop. Long work should then end; it runs again later. */
  readonly signal: AbortSignal
  /** Writes in one transaction, on behalf of the system or of the author named. */
  transact<T>(work: (tx: Tx) => Promise<T>, author?: Author): Promise<T>
}

/** A task with any payload. */
export interface AnyTask {
  readonly name: string
  readonly lane: Lane
  /** Checks a payload that was read from the database and runs the task. */
  execute(json: unknown, job: JobContext): Promise<void>
}

export interface Task<P extends TObject> extends AnyTask {
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
export function defineTask<const P extends TObject>(
  name: string,
  lane: Lane,
  payload: P,
  run: (payload: Static<P>, job: JobContext) => Promise<void>,
): Task<P> {
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
