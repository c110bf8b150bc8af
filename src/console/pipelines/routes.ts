import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { page } from '#platform/access/route-access.ts'
import { API } from '#platform/http/routing.ts'
import { integer, MAX_PATH, oneOf, text } from '#platform/http/schema.ts'
import { notFound } from '#platform/refusals.ts'
import { answerWithPages } from '#platform/pages/page.ts'
import { PROJECT } from '../frame/addresses.ts'
import { Api, path } from '../frame/api.ts'
import { pageNumber } from '../frame/lists.ts'
import { OfProject, projectOf } from '../frame/project.ts'
import { show } from '../frame/show.ts'
import { artifactFile, artifactsPage } from './artifacts-page.ts'
import { jobList } from './job-list.ts'
import { pipelineList } from './pipeline-list.ts'
import { tracePath } from './read-log.ts'
import { scheduleList, scheduleScopes } from './schedule-list.ts'
import { testReportPage } from './test-report-page.ts'

const params = Type.Object(OfProject)
const ById = Type.Object({ ...OfProject, id: integer({ minimum: 1 }) })
const file = text({ max: MAX_PATH })
const ByFile = Type.Object({ ...ById.properties, '*': file })
const ByFolder = Type.Object({ ...ById.properties, '*': Type.Optional(file) })
const Paged = Type.Object({ page: pageNumber })
const Filter = Type.Object({
  status: Type.Optional(text({ max: 32 })),
  ref: Type.Optional(text()),
  source: Type.Optional(text({ max: 64 })),
  page: pageNumber,
})
const Scoped = Type.Object({ scope: Type.Optional(text({ max: 64 })), page: pageNumber })
const Active = Type.Object({ scope: Type.Optional(oneOf(scheduleScopes)), page: pageNumber })

/** Lists of pipelines, jobs and schedules, and what jobs left behind. */
export const pipelinePageRoutes: FastifyPluginAsyncTypebox = async (app) => {
  answerWithPages(app)
  const config = page('anyone')

  app.get(`${PROJECT}/pipelines`, { config, schema: { params, querystring: Filter } }, async (req, reply) => {
    const api = new Api(req)
    const project = await projectOf(api, req, req.params.project)
    return show(req, reply, await pipelineList(api, project, req.query))
  })

  app.get(
    `${PROJECT}/pipelines/:id/test_report`,
    { config, schema: { params: ById } },
    async (req, reply) => {
      const api = new Api(req)
      const project = await projectOf(api, req, req.params.project)
      return show(req, reply, await testReportPage(api, project, req.params.id))
    },
  )

  app.get(`${PROJECT}/jobs`, { config, schema: { params, querystring: Scoped } }, async (req, reply) => {
    const api = new Api(req)
    const project = await projectOf(api, req, req.params.project)
    return show(req, reply, await jobList(api, project, req.query))
  })

  app.get(`${PROJECT}/jobs/:id/raw`, { config, schema: { params: ById } }, async (req, reply) => {
    const project = await projectOf(new Api(req), req, req.params.project)
    return reply.redirect(tracePath(project.id, req.params.id), 302)
  })

  for (const ending of ['', '/*'])
    app.get(
      `${PROJECT}/jobs/:id/artifacts/browse${ending}`,
      { config, schema: { params: ByFolder, querystring: Paged } },
      async (req, reply) => {
        const api = new Api(req)
        const project = await projectOf(api, req, req.params.project)
        const folder = (req.params['*'] ?? '').replace(/\/$/, '')
        const view = await artifactsPage(api, project, { id: req.params.id, folder, page: req.query.page })
        if (view === undefined) throw notFound()
        return show(req, reply, view)
      },
    )

  // The API sends the bytes.
  app.get(
    `${PROJECT}/jobs/:id/artifacts/download`,
    { config, schema: { params: ById } },
    async (req, reply) => {
      const { id } = await projectOf(new Api(req), req, req.params.project)
      return reply.redirect(API + path`/projects/${id}/jobs/${req.params.id}/artifacts`, 302)
    },
  )
  for (const word of ['file', 'raw'])
    app.get(
      `${PROJECT}/jobs/:id/artifacts/${word}/*`,
      { config, schema: { params: ByFile } },
      async (req, reply) => {
        const project = await projectOf(new Api(req), req, req.params.project)
        return reply.redirect(artifactFile(project, req.params.id, req.params['*']), 302)
      },
    )

  app.get(
    `${PROJECT}/pipeline_schedules`,
    { config, schema: { params, querystring: Active } },
    async (req, reply) => {
      const api = new Api(req)
      const project = await projectOf(api, req, req.params.project)
      return show(req, reply, await scheduleList(api, req.identity?.user.id, project, req.query))
    },
  )
}
