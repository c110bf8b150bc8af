import { type JobHelpers, Logger, type TaskList } from 'graphile-worker'
import type pg from 'pg'
import { types } from 'pg'
import type { AnyTask, JobContext, Log } from './task.ts'

// What graphile-worker wants in another form than ours.

/**
 * The same pool, answering `query` with dates. The library's scheduler compares the times it reads, and with
 * the text that our pool gives (platform/db/pool.ts) it would never catch up on what it missed, and not say so.
 */
export function forGraphile(pool: pg.Pool): pg.Pool {
  const query = (query: string | pg.QueryConfig, values?: unknown[]): Promise<pg.QueryResult> =>
    pool.query({ ...(typeof query === 'string' ? { text: query } : query), ...(values && { values }), types })
  return new Proxy(pool, {
    get: (target, key): unknown => (key === 'query' ? query : Reflect.get(target, key)),
  })
}

/** The library's log as ours. It says each job at `info`, which for us is `debug`; payloads are left out. */
export function graphileLogger(log: Log): Logger {
  return new Logger((scope) => (level, message, { error }) => {
    const details = { ...scope, ...(error !== undefined && { err: error }) }
    if (level === 'error') log.error(details, message)
    else if (level === 'warning') log.warn(details, message)
    else log.debug(details, message)
  })
}

/** Our tasks as the library's; a schedule's own field in the payload is taken out. */
export function taskList(
  tasks: readonly AnyTask[],
  context: (job: Pick<JobContext, 'attempt' | 'signal'>) => JobContext,
): TaskList {
  const entries = tasks.map((task) => {
    const handle = (payload: unknown, { job, abortSignal }: JobHelpers): Promise<void> =>
      task.execute(withoutCron(payload), context({ attempt: job.attempts, signal: abortSignal }))
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
