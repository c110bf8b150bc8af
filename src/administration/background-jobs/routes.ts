import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { admin, reads, writes } from '#platform/access/route-access.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { paginate } from '#platform/http/pagination.ts'
import { deadJobs, retryDeadJob, retryDeadJobs } from '#platform/jobs/dead-jobs.ts'
import { notFound } from '#platform/refusals.ts'
import { BackgroundJob, presentBackgroundJob } from './entity.ts'
import { BackgroundJobFilter, backgroundJobOrder, ByBackgroundJob, Retried } from './parameters.ts'

/** Jobs that one request tries again. */
const MOST_AT_ONCE = 1_000

/** Jobs that failed for good, for administrators. */
export const backgroundJobRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db } = app

  app.get(
    '/background_jobs/dead',
    {
      config: reads(admin),
      schema: {
        summary: 'List the background jobs that are out of tries, the newest first',
        description: 'What they were to do with is not shown, because it may hold secrets.',
        querystring: BackgroundJobFilter,
        response: { 200: Type.Array(BackgroundJob) },
      },
    },
    async (req, reply) =>
      (await paginate(req, reply, deadJobs(db), backgroundJobOrder)).map(presentBackgroundJob),
  )

  app.post(
    '/background_jobs/dead/:id/retry',
    {
      config: writes(admin),
      schema: {
        summary: 'Retry a background job that is out of tries',
        description: 'It runs at once, and gets all its tries again.',
        params: ByBackgroundJob,
        response: { 202: Retried },
      },
    },
    (req) =>
      req.write(async (tx) => {
        if (!(await retryDeadJob(tx, req.params.id))) throw notFound()
        return recorded(tx, 1)
      }),
  )

  app.post(
    '/background_jobs/dead/retry',
    {
      config: writes(admin),
      schema: {
        summary: 'Retry the background jobs that are out of tries',
        description: `At most ${MOST_AT_ONCE.toLocaleString('en')} at once, the oldest first.`,
        response: { 202: Retried },
      },
    },
    (req) => req.write(async (tx) => recorded(tx, await retryDeadJobs(tx, MOST_AT_ONCE))),
  )
}

function recorded(tx: Tx, count: number): { readonly retried: number } {
  if (count > 0)
    record(tx, { name: 'background jobs retried', namespace: null, target: null, details: { count } })
  return { retried: count }
}
