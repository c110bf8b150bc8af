import { type ParsedCronItem, parseCronItems } from 'graphile-worker'
import type { Static, TObject } from 'typebox'
import type { AnyTask, QueueServices, JobServices, Task } from './task.ts'

/** Recurring work, done once per cluster whatever the number of processes. */
export interface Scheduled<S extends QueueServices = JobServices> {
  readonly task: AnyTask<S>
  /** Five fields of cron, in UTC. */
  readonly cron: string
  readonly payload: Record<string, unknown>
  /** How far back a start looks for runs that were missed while no process ran, in milliseconds. */
  readonly catchUp: number
}

const DAY = 24 * 60 * 60 * 1000

/** Ten tries take some three hours: a day's work ends before the next begins. */
const MAX_ATTEMPTS = 10

/** Schedules by a cron pattern. Runs missed while no process ran are lost unless `catchUp` says otherwise. */
export function scheduled<P extends TObject, S extends QueueServices>(
  cron: string,
  task: Task<P, S>,
  payload: Static<P>,
  catchUp = 0,
): Scheduled<S> {
  return { task, cron, payload: { ...payload }, catchUp }
}

/** Schedules once a day at `HH:MM` UTC. If no process ran at that time, the next start within a day catches up. */
export function daily<P extends TObject, S extends QueueServices>(
  at: `${number}:${number}`,
  task: Task<P, S>,
  payload: Static<P>,
): Scheduled<S> {
  const [hour, minute] = at.split(':').map(Number)
  return scheduled(`${minute} ${hour} * * *`, task, payload, DAY)
}

/** The schedule in graphile-worker's form. It remembers each last run by the identifier. */
export function cronItems<S extends QueueServices>(schedule: readonly Scheduled<S>[]): ParsedCronItem[] {
  return parseCronItems(
    schedule.map(({ task, cron, payload, catchUp }) => ({
      task: task.name,
      match: cron,
      payload,
      identifier: `${task.name} ${cron}`,
      options: { backfillPeriod: catchUp, maxAttempts: MAX_ATTEMPTS },
    })),
  )
}
