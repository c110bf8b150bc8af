import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { sql } from 'kysely'
import { Type } from 'typebox'
import { Pipeline, PipelineBasic, presentPipeline, presentPipelineBasic } from '#code/pipelines/entity.ts'
import { pipelineBasics, findPipeline } from '#code/pipelines/queries.ts'
import { BRANCHES } from '#code/git/names.ts'
import { findMergeRequest } from '#code/merge-requests/queries.ts'
import { authorizeProject } from '#platform/access/authorize.ts'
import { project, reads, writes } from '#platform/access/route-access.ts'
import { pageParameters } from '#platform/http/order.ts'
import { paginate, paginateNothing } from '#platform/http/pagination.ts'
import { ById, integer } from '#platform/http/schema.ts'
import { notFound, notPossible } from '#platform/refusals.ts'
import { createPipeline } from './create-pipeline.ts'
import { pipelineOrder } from './order.ts'

const path = '/projects/:id/merge_requests/:merge_request_iid/pipelines'
const ByMergeRequest = Type.Object({ ...ById.properties, merge_request_iid: integer() })

/** The pipelines of merge requests. */
export const mergeRequestPipelineRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db, services } = app

  app.get(
    path,
    {
      config: reads(project('read_merge_request'), { anonymous: true }),
      schema: {
        summary: 'List the pipelines of a merge request',
        description: 'Its own, and those of the commits that its source branch was at.',
        params: ByMergeRequest,
        querystring: Type.Object(pageParameters),
        response: { 200: Type.Array(PipelineBasic) },
      },
    },
    async (req, reply) => {
      const row = await findMergeRequest(db, req.viewer, req.project(), req.params.merge_request_iid)
      if (row.source_project_id === null) return paginateNothing(req, reply)
      const { container, can } = await authorizeProject(
        db,
        req.viewer,
        String(row.source_project_id),
        'read_project',
      )
      if (!can('read_pipeline')) return paginateNothing(req, reply)
      const list = pipelineBasics(db, row.source_project_id)
        .where('p.is_child', '=', false)
        .where(
          sql<boolean>`(p.merge_request_id = ${row.id} or (p.merge_request_id is null and not p.tag and p.ref = ${row.source_branch}
            and p.sha in (select head_sha from merge_request_versions v where v.merge_request_id = ${row.id})))`,
        )
      const rows = await paginate(req, reply, list, pipelineOrder)
      return rows.map((one) => presentPipelineBasic(one, { site: req.site, fullPath: container.full_path }))
    },
  )

  app.post(
    path,
    {
      config: writes(project('read_merge_request')),
      schema: {
        summary: 'Create a pipeline of a merge request',
        description: 'Needs the right to run pipelines of the source branch.',
        params: ByMergeRequest,
        refuses: [405],
        response: { 201: Pipeline },
      },
    },
    async (req) => {
      const row = await findMergeRequest(db, req.viewer, req.project(), req.params.merge_request_iid)
      if (row.source_project_id === null) throw notFound()
      if (row.state !== 'opened') throw notPossible()
      const { container } = await authorizeProject(
        db,
        req.viewer,
        String(row.source_project_id),
        'create_pipeline',
      )
      const id = await createPipeline(services, {
        projectId: container.id,
        ref: BRANCHES + row.source_branch,
        sha: row.head_sha,
        source: 'merge_request_event',
        userId: req.user().id,
        mergeRequestId: row.id,
      })
      const found = await findPipeline(db, container.id, id, services.clock.now().toISOString())
      return presentPipeline(found, { site: req.site, fullPath: container.full_path })
    },
  )
}
