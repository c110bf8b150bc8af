import { type JobHelpers, Logger, type TaskList } from 'graphile-worker'
import type pg from 'pg'
import { types } from 'pg'
import type { Log } from '#platform/context.ts'
import { traced } from '#platform/telemetry/tracer.ts'
import type { Arrivals, OnHearer } from './arrivals.ts'
import type { AnyTask, JobContext, JobRun, QueueServices } from './task.ts'

// Adapters for what graphile-worker expects in another form than ours.

/**
 * The same pool, but `query` returns dates. The library's scheduler compares the times it reads. With the text that
 * our pool returns (platform/db/pool.ts) it would never catch up on missed runs, and not report it.
 * @param hears whether the workers do jobs of a task. The connection on which they listen tells them of these alone; it is the only one
 *   that the library asks for with a callback.
 */
export function forGraphile(pool: pg.Pool, arrivals: Arrivals, hears: (task: string) => boolean): pg.Pool {
  const query = (query: string | pg.QueryConfig, values?: unknown[]): Promise<pg.QueryResult> =>
    pool.query({ ...(typeof query === 'string' ? { text: query } : query), ...(values && { values }), types })
  const connect = (onHearer?: OnHearer): unknown =>
    onHearer === undefined ? pool.connect() : arrivals.listen(hears, onHearer)
  return new Proxy(pool, {
    get: (target, key): unknown => {
      if (key === 'query') return query
      // The library advises one connection for each worker. They share a few: what it asks of them takes moments.
      if (key === 'options') return { ...target.options, max: Infinity }
      return key === 'connect' ? connect : Reflect.get(target, key)
    },
  })
}

/**
 * Our log in the form of the library's. The library logs each job at `info`, which we log at `debug`; payloads are
 * omitted.
 */
export function graphileLogger(log: Log): Logger {
  return new Logger((scope) => (level, message, { error }) => {
    const details = { ...scope, ...(error !== undefined && { err: error }) }
    if (level === 'error') log.error(details, message)
    else if (level === 'warning') log.warn(details, message)
    else log.debug(details, message)
  })
}

/** Our tasks in the form of the library's, without the schedule's own field in the payload. */
export function taskList<S extends QueueServices>(
  tasks: readonly AnyTask<S>[],
  context: (run: JobRun) => JobContext<S>,
): TaskList {
  const entries = tasks.map((task) => {
    const handle = (payload: unknown, { job, abortSignal }: JobHelpers): Promise<void> => {
      const attributes = {
        'forgelet.job': task.name,
        'forgelet.job.lane': task.lane,
        'forgelet.job.attempt': job.attempts,
      }
      const its = context({ attempt: job.attempts, signal: abortSignal })
      return traced(its.tracer, { name: `job ${task.name}`, kind: 'consumer', attributes }, () =>
        task.execute(withoutCron(payload), its),
      )
    }
    return [task.name, handle] as const
  })
  const list = Object.fromEntries(entries)
  if (Object.keys(list).length < tasks.length) throw new Error('Two tasks have the same name')
  return list
}

function withoutCron(payload: unknown): unknown {
  if (typeof payload !== 'object' || payload === null || !('_cron' in payload)) return payload
  const { _cron, ...rest } = payload
  return rest
}
