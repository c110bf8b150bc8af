import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { page } from '#platform/access/route-access.ts'
import { text } from '#platform/http/schema.ts'
import { answerWithPages } from '#platform/pages/page.ts'
import { PROJECT } from '../frame/addresses.ts'
import { Api } from '../frame/api.ts'
import { listOf } from '../frame/list-page.ts'
import { pageNumber } from '../frame/lists.ts'
import { OfProject, pageOf, projectHeader, projectOf } from '../frame/project.ts'
import { show } from '../frame/show.ts'
import { branchesOf, tagsOf } from './reference-lists.ts'

const Filter = Type.Object({ search: Type.Optional(text()), page: pageNumber })

/** Branches and tags. */
export const referenceRoutes: FastifyPluginAsyncTypebox = async (app) => {
  answerWithPages(app)
  const options = { config: page('anyone'), schema: { params: Type.Object(OfProject), querystring: Filter } }

  app.get(`${PROJECT}/branches`, options, async (req, reply) => {
    const api = new Api(req)
    const project = await projectOf(api, req, req.params.project)
    return show(req, reply, {
      title: `Branches · ${project.name_with_namespace}`,
      place: projectHeader(project, 'Branches'),
      body: await listOf(api, pageOf(project, 'branches'), branchesOf(project), req.query),
    })
  })

  app.get(`${PROJECT}/tags`, options, async (req, reply) => {
    const api = new Api(req)
    const project = await projectOf(api, req, req.params.project)
    return show(req, reply, {
      title: `Tags · ${project.name_with_namespace}`,
      place: projectHeader(project, 'Tags'),
      body: await listOf(api, pageOf(project, 'tags'), tagsOf(project), req.query),
    })
  })
}
