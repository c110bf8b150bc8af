import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { requestedRepository } from '#code/repositories/requested.ts'
import { project, reads, writes } from '#platform/access/route-access.ts'
import { paginate } from '#platform/http/pagination.ts'
import { ById, NoContent } from '#platform/http/schema.ts'
import { forbidden, notFound } from '#platform/refusals.ts'
import { cancelPipeline } from './cancel-pipeline.ts'
import { createPipeline, openPipelineVariable } from './create-pipeline.ts'
import { deletePipeline } from './delete-pipeline.ts'
import {
  Pipeline,
  PipelineListed,
  PipelineVariable,
  presentPipeline,
  presentPipelineListed,
  WithPermissions,
} from '#code/pipelines/entity.ts'
import {
  ByPipeline,
  LatestPipeline,
  NewPipelineBody,
  PipelineFilter,
  PipelineMetadata,
} from './parameters.ts'
import { pipelineOrder } from './order.ts'
import { findPipeline, latestPipeline, pipelinesOf } from '#code/pipelines/queries.ts'
import { filterPipelines } from './queries.ts'
import { siteOf } from './site-of.ts'
import { assertMayChange, mayChange } from './assert-may-change.ts'
import { wholeName } from './whole-name.ts'
import { retryPipeline } from './retry-pipeline.ts'

/** Pipelines: what was run for a commit, and how that went. */
export const pipelineRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db, services } = app
  const now = () => services.clock.now().toISOString()
  const one = (req: FastifyRequest, id: number) => findPipeline(db, req.project().container.id, id, now())
  const present = async (req: FastifyRequest, id: number) => presentPipeline(await one(req, id), siteOf(req))
  /** A pipeline that the caller may change. @throws 403, 404 */
  const changeable = async (req: FastifyRequest, id: number) => {
    const row = await one(req, id)
    await assertMayChange(req, row)
    return row
  }

  app.get(
    '/projects/:id/pipelines',
    {
      config: reads(project('read_pipeline'), { anonymous: true, jobToken: true }),
      schema: {
        summary: 'List the pipelines of a project',
        description: 'Child pipelines are among them only with `source=parent_pipeline`.',
        params: ById,
        querystring: PipelineFilter,
        response: { 200: Type.Array(PipelineListed) },
      },
    },
    async (req, reply) => {
      const list = filterPipelines(pipelinesOf(db, req.project().container.id), req.query)
      const rows = await paginate(req, reply, list, pipelineOrder)
      return rows.map((row) => presentPipelineListed(row, siteOf(req)))
    },
  )

  app.get(
    '/projects/:id/pipelines/latest',
    {
      config: reads(project('read_pipeline'), { anonymous: true }),
      schema: {
        summary: 'Get the latest pipeline of a branch or tag',
        params: ById,
        querystring: LatestPipeline,
        response: { 200: Pipeline },
      },
    },
    async (req) => {
      const repository = await requestedRepository(req)
      const ref = [req.query.ref, repository?.row.default_branch].find(
        (name) => name !== undefined && name !== null && name !== '',
      )
      if (ref === undefined || ref === null) throw notFound('Pipeline')
      return presentPipeline(await latestPipeline(db, req.project().container.id, ref, now()), siteOf(req))
    },
  )

  app.get(
    '/projects/:id/pipelines/:pipeline_id',
    {
      config: reads(project('read_pipeline'), { anonymous: true, jobToken: true }),
      schema: {
        summary: 'Get a pipeline',
        params: ByPipeline,
        querystring: WithPermissions,
        response: { 200: Pipeline },
      },
    },
    async (req) => {
      const row = await one(req, req.params.pipeline_id)
      if (req.query.with_permissions !== true) return presentPipeline(row, siteOf(req))
      const update = req.project().can('update_pipeline') && (await mayChange(req, row))
      return { ...presentPipeline(row, siteOf(req)), user_permissions: { update } }
    },
  )

  app.get(
    '/projects/:id/pipelines/:pipeline_id/variables',
    {
      config: reads(project('read_pipeline')),
      schema: {
        summary: 'List the variables that a pipeline was started with',
        description: 'For Maintainers, and for the person who started it.',
        params: ByPipeline,
        response: { 200: Type.Array(PipelineVariable) },
      },
    },
    async (req) => {
      const { id, user } = await one(req, req.params.pipeline_id)
      const isOwn = user?.id === req.viewer.id && req.project().can('update_pipeline')
      if (!isOwn && !req.project().can('read_pipeline_variable')) throw forbidden()
      const rows = await db
        .selectFrom('pipeline_variables')
        .select(['key', 'value', 'variable_type', 'raw'])
        .where('pipeline_id', '=', id)
        .orderBy('key')
        .execute()
      return Promise.all(
        rows.map(async (row) => ({ ...row, value: await openPipelineVariable(services, row.value) })),
      )
    },
  )

  app.post(
    '/projects/:id/pipeline',
    {
      config: writes(project('create_pipeline')),
      schema: {
        summary: 'Create a pipeline',
        description: 'Runs the configuration of a branch or tag.',
        params: ById,
        body: NewPipelineBody,
        response: { 201: Pipeline },
      },
    },
    async (req) => {
      const { ref, variables, inputs } = req.body
      const userId = req.user().id
      const id = await createPipeline(services, {
        projectId: req.project().container.id,
        ref: await wholeName(req, ref),
        source: 'api',
        userId,
        ...(variables && { variables }),
        ...(inputs && { inputs }),
      })
      return present(req, id)
    },
  )

  app.post(
    '/projects/:id/pipelines/:pipeline_id/retry',
    {
      config: writes(project('update_pipeline')),
      schema: {
        summary: 'Retry a pipeline',
        description: 'Runs the jobs again that failed or were canceled.',
        params: ByPipeline,
        response: { 201: Pipeline },
      },
    },
    async (req) => {
      const { id } = await changeable(req, req.params.pipeline_id)
      await req.write((tx) => retryPipeline(tx, id))
      return present(req, id)
    },
  )

  app.post(
    '/projects/:id/pipelines/:pipeline_id/cancel',
    {
      config: writes(project('update_pipeline')),
      schema: { summary: 'Cancel the jobs of a pipeline', params: ByPipeline, response: { 200: Pipeline } },
    },
    async (req) => {
      const { id } = await changeable(req, req.params.pipeline_id)
      await req.write((tx) => cancelPipeline(tx, id))
      return present(req, id)
    },
  )

  app.put(
    '/projects/:id/pipelines/:pipeline_id/metadata',
    {
      config: writes(project('update_pipeline'), { jobToken: true }),
      schema: {
        summary: 'Name a pipeline',
        params: ByPipeline,
        body: PipelineMetadata,
        response: { 200: Pipeline },
      },
    },
    async (req) => {
      const { id } = await changeable(req, req.params.pipeline_id)
      const { name } = req.body
      await req.write((tx) =>
        tx.db.updateTable('pipelines').set({ name, updated_at: tx.now }).where('id', '=', id).execute(),
      )
      return present(req, id)
    },
  )

  app.delete(
    '/projects/:id/pipelines/:pipeline_id',
    {
      config: writes(project('delete_pipeline')),
      schema: {
        summary: 'Delete a pipeline',
        description: 'With its jobs, logs and artifacts, and its child pipelines.',
        params: ByPipeline,
        response: { 204: NoContent },
      },
    },
    async (req) => {
      const { id } = await one(req, req.params.pipeline_id)
      await req.write((tx) => deletePipeline(tx, id))
    },
  )
}
