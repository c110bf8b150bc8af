import { type Static, Type } from 'typebox'
import { entity, integer, moment, nullable } from '#platform/http/schema.ts'
import { iso } from '#platform/http/time.ts'
import type { DeadJob } from '#platform/jobs/dead-jobs.ts'

/** Background work that failed as often as it is tried. */
export const BackgroundJob = entity('BackgroundJob', {
  id: integer(),
  task: Type.String(),
  attempts: integer(),
  last_error: nullable(Type.String({ description: 'How it failed last: how the text begins.' })),
  created_at: moment(),
  failed_at: moment(),
})

export const presentBackgroundJob = (job: DeadJob): Static<typeof BackgroundJob> => ({
  id: job.id,
  task: job.task,
  attempts: job.attempts,
  last_error: job.last_error === null ? null : withoutCredentials(job.last_error),
  created_at: iso(job.created_at),
  failed_at: iso(job.failed_at),
})

/** Errors may name addresses of other servers. Names and passwords in them are nobody's business. */
const withoutCredentials = (text: string): string =>
  text.replaceAll(/(\b[a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/@]{1,1000}@/gi, '$1')
