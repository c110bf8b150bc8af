import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import { project, reads, writes } from '#platform/access/route-access.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { TimeStats } from '../entity.ts'
import { ByIssue } from '../parameters.ts'
import { presentTimeStats } from '../present.ts'
import { findIssue, lockIssue } from '../queries.ts'
import { estimateTime } from './estimate-time.ts'
import { durationIn, Estimate, SpentTime } from './parameters.ts'
import { resetSpentTime, spendTime } from './spend-time.ts'
import type { Timed, Times } from './timed.ts'

/** Time estimates of issues, and the time spent on them. */
export const issueTimeRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db } = app
  const config = writes(project('admin_issue'))

  app.get(
    '/projects/:id/issues/:issue_iid/time_stats',
    {
      config: reads(project('read_issue'), { anonymous: true }),
      schema: {
        summary: 'Get the estimated and spent time of an issue',
        params: ByIssue,
        response: { 200: TimeStats },
      },
    },
    async (req) => presentTimeStats(await findIssue(db, req.viewer, req.project(), req.params.issue_iid)),
  )

  app.post(
    '/projects/:id/issues/:issue_iid/time_estimate',
    {
      config,
      schema: {
        summary: 'Set the time estimate of an issue',
        params: ByIssue,
        body: Estimate,
        response: { 200: TimeStats },
      },
    },
    async (req) => {
      const seconds = durationIn(req.body)
      return changeTime(req, (tx, issue) => estimateTime(tx, issue, seconds))
    },
  )

  app.post(
    '/projects/:id/issues/:issue_iid/reset_time_estimate',
    {
      config,
      schema: {
        summary: 'Reset the time estimate of an issue',
        params: ByIssue,
        response: { 200: TimeStats },
      },
    },
    async (req) => changeTime(req, (tx, issue) => estimateTime(tx, issue, 0)),
  )

  app.post(
    '/projects/:id/issues/:issue_iid/add_spent_time',
    {
      config,
      schema: {
        summary: 'Add time spent on an issue',
        params: ByIssue,
        body: SpentTime,
        response: { 201: TimeStats },
      },
    },
    async (req, reply) => {
      const seconds = durationIn(req.body)
      const stats = await changeTime(req, (tx, issue) => spendTime(tx, issue, seconds, req.body.summary))
      return reply.code(201).send(stats)
    },
  )

  app.post(
    '/projects/:id/issues/:issue_iid/reset_spent_time',
    {
      config,
      schema: {
        summary: 'Reset the time spent on an issue',
        params: ByIssue,
        response: { 200: TimeStats },
      },
    },
    async (req) => changeTime(req, resetSpentTime),
  )
}

type AboutIssue = Pick<FastifyRequest, 'viewer' | 'project' | 'write'> & {
  readonly params: Static<typeof ByIssue>
}

/** Changes the times of the requested issue, which it locks. */
async function changeTime(
  req: AboutIssue,
  change: (tx: Tx, issue: Timed) => Promise<Times>,
): Promise<Static<typeof TimeStats>> {
  const stats = await req.write(async (tx) =>
    change(tx, await lockIssue(tx, req.viewer, req.project(), req.params.issue_iid)),
  )
  return presentTimeStats(stats)
}
