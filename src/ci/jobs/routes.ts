import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { Bridge, Job, type JobRow, type JobView, presentBridge, presentJob } from '#code/jobs/entity.ts'
import { jobs, usersOf } from '#code/jobs/queries.ts'
import { WithPermissions } from '#code/pipelines/entity.ts'
import { project, reads, writes } from '#platform/access/route-access.ts'
import { keyRing } from '#platform/key-ring/key-ring.ts'
import { paginate } from '#platform/http/pagination.ts'
import { ById } from '#platform/http/schema.ts'
import { forbidden, notFound } from '#platform/refusals.ts'
import { assertMayChange, mayChange } from '../pipelines/assert-may-change.ts'
import { mayGiveVariables } from '../pipelines/may-give-variables.ts'
import { siteOf } from '../pipelines/site-of.ts'
import { eraseJob } from './erase-job.ts'
import { changeJob } from './finish-job.ts'
import {
  BridgesFilter,
  ByJob,
  ByPipeline,
  CanceledJob,
  PipelineJobsFilter,
  PlayedJob,
  ProjectJobsFilter,
} from './parameters.ts'
import { registerCiMetrics } from './metrics.ts'
import { jobOrder } from './order.ts'
import { findJob, inScope, jobsOfProject } from './queries.ts'
import { playJob, retryJob } from './repeat-job.ts'
import { cancelable } from './statuses.ts'
import { keepJobVariables, SEALED_AS } from './variables.ts'

/** Jobs: the parts of pipelines. */
export const jobRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db, services } = app
  registerCiMetrics(services.metrics, services)

  const viewOf = async (req: FastifyRequest, rows: readonly JobRow[]): Promise<JobView> => ({
    ...siteOf(req),
    viewer: req.viewer,
    now: services.clock.now().toISOString(),
    users: await usersOf(db, rows),
  })
  const one = (req: FastifyRequest, id: number) => findJob(db, req.project().container.id, id)
  const present = async (req: FastifyRequest, id: number) => {
    const row = await one(req, id)
    return presentJob(row, await viewOf(req, [row]))
  }
  /** Jobs that run something: bridges have a list of their own. */
  const job = async (req: FastifyRequest, id: number): Promise<JobRow> => {
    const row = await one(req, id)
    if (row.bridge) throw notFound()
    return row
  }
  /** A job that the caller may change. @throws 403, 404 */
  const changeable = async (req: FastifyRequest, id: number): Promise<JobRow> => {
    const row = await one(req, id)
    await assertMayChange(req, { ref: row.pipeline.ref, tag: row.tag })
    return row
  }
  const pipelineId = async (req: FastifyRequest, id: number): Promise<number> => {
    const found = await db
      .selectFrom('pipelines')
      .select('id')
      .where('project_id', '=', req.project().container.id)
      .where('id', '=', id)
      .executeTakeFirstOrThrow(() => notFound())
    return found.id
  }

  app.get(
    '/projects/:id/jobs',
    {
      config: reads(project('read_pipeline'), { anonymous: true, jobToken: true }),
      schema: {
        summary: 'List the jobs of a project',
        description: 'Newest first. With keyset pagination, every page costs the same.',
        params: ById,
        querystring: ProjectJobsFilter,
        response: { 200: Type.Array(Job) },
      },
    },
    async (req, reply) => {
      const list = inScope(jobsOfProject(db, req.project().container.id), req.query.scope)
      const rows = await paginate(req, reply, list, jobOrder)
      const view = await viewOf(req, rows)
      return rows.map((row) => presentJob(row, view))
    },
  )

  app.get(
    '/projects/:id/pipelines/:pipeline_id/jobs',
    {
      config: reads(project('read_pipeline'), { anonymous: true, jobToken: true }),
      schema: {
        summary: 'List the jobs of a pipeline',
        params: ByPipeline,
        querystring: PipelineJobsFilter,
        response: { 200: Type.Array(Job) },
      },
    },
    async (req, reply) => {
      const { scope, include_retried, with_needs: withNeeds } = req.query
      const all = jobs(db)
        .where('j.pipeline_id', '=', await pipelineId(req, req.params.pipeline_id))
        .where('j.bridge', '=', false)
      const list = inScope(include_retried ? all : all.where('j.retried', '=', false), scope)
      const rows = await paginate(req, reply, list, jobOrder)
      const view = { ...(await viewOf(req, rows)), withNeeds }
      return rows.map((row) => presentJob(row, view))
    },
  )

  app.get(
    '/projects/:id/pipelines/:pipeline_id/bridges',
    {
      config: reads(project('read_pipeline'), { anonymous: true, jobToken: true }),
      schema: {
        summary: 'List the jobs of a pipeline that start other pipelines',
        params: ByPipeline,
        querystring: BridgesFilter,
        response: { 200: Type.Array(Bridge) },
      },
    },
    async (req, reply) => {
      const all = jobs(db)
        .where('j.pipeline_id', '=', await pipelineId(req, req.params.pipeline_id))
        .where('j.bridge', '=', true)
        .where('j.retried', '=', false)
      const rows = await paginate(req, reply, inScope(all, req.query.scope), jobOrder)
      const view = { ...(await viewOf(req, rows)), withNeeds: req.query.with_needs }
      return rows.map((row) => presentBridge(row, view))
    },
  )

  app.get(
    '/projects/:id/jobs/:job_id',
    {
      config: reads(project('read_pipeline'), { anonymous: true }),
      schema: {
        summary: 'Get a job',
        params: ByJob,
        querystring: WithPermissions,
        response: { 200: Job },
      },
    },
    async (req) => {
      const row = await job(req, req.params.job_id)
      const presented = presentJob(row, await viewOf(req, [row]))
      if (req.query.with_permissions !== true) return presented
      const ran = { ref: row.pipeline.ref, tag: row.tag }
      const update = req.project().can('update_job') && (await mayChange(req, ran))
      return { ...presented, user_permissions: { update } }
    },
  )

  app.post(
    '/projects/:id/jobs/:job_id/cancel',
    {
      config: writes(project('update_job')),
      schema: {
        summary: 'Cancel a job',
        description: 'A job that has ended stays as it is.',
        params: ByJob,
        body: CanceledJob,
        response: { 201: Job },
      },
    },
    async (req) => {
      const { id } = await changeable(req, req.params.job_id)
      await req.write((tx) =>
        changeJob(tx, id, ({ status }) =>
          cancelable.has(status) || (req.body.force === true && status === 'canceling')
            ? { status: 'canceled' }
            : undefined,
        ),
      )
      return present(req, id)
    },
  )

  app.post(
    '/projects/:id/jobs/:job_id/retry',
    {
      config: writes(project('update_job')),
      schema: {
        summary: 'Retry a job',
        description: 'A new job takes its place.',
        params: ByJob,
        response: { 201: Job },
      },
    },
    async (req) => {
      const meant = await changeable(req, req.params.job_id)
      return present(req, await req.write((tx) => retryJob(tx, meant)))
    },
  )

  app.post(
    '/projects/:id/jobs/:job_id/play',
    {
      config: writes(project('update_job')),
      schema: {
        summary: 'Start a manual job',
        params: ByJob,
        body: PlayedJob,
        response: { 200: Job },
      },
    },
    async (req) => {
      const meant = await changeable(req, req.params.job_id)
      const { job_variables_attributes: variables = [] } = req.body
      if (variables.length > 0 && !mayGiveVariables(req.project())) throw forbidden()
      const sealed = await Promise.all(
        variables.map(async ({ key, value }) => ({
          key,
          value: await keyRing(services).seal(SEALED_AS, value),
        })),
      )
      const started = await req.write(async (tx) => {
        const id = await playJob(tx, meant)
        await keepJobVariables(tx, id, sealed)
        return id
      })
      return present(req, started)
    },
  )

  app.post(
    '/projects/:id/jobs/:job_id/erase',
    {
      config: writes(project('update_job')),
      schema: {
        summary: 'Remove the log and the artifacts of a job',
        description: 'For Maintainers, and for the person who started the job.',
        params: ByJob,
        response: { 201: Job },
      },
    },
    async (req) => {
      const row = await job(req, req.params.job_id)
      if (row.user_id !== req.user().id && !req.project().can('erase_job')) throw forbidden()
      await assertMayChange(req, { ref: row.pipeline.ref, tag: row.tag })
      await req.write((tx) => eraseJob(tx, row.id))
      return present(req, row.id)
    },
  )
}
