import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { Release } from '#delivery/releases/entity.ts'
import { page } from '#platform/access/route-access.ts'
import { MAX_PATH, text } from '#platform/http/schema.ts'
import { answerWithPages } from '#platform/pages/page.ts'
import { notFound } from '#platform/refusals.ts'
import { GROUP, PROJECT } from '../frame/addresses.ts'
import { Api, path } from '../frame/api.ts'
import { groupOf, OfGroup } from '../frame/group.ts'
import { pageNumber } from '../frame/lists.ts'
import { OfProject, pageOf, projectOf } from '../frame/project.ts'
import { show } from '../frame/show.ts'
import { groupReleases, releaseList, releasePage } from './release-pages.ts'

const Paged = Type.Object({ page: pageNumber })

/** Releases of projects and groups. */
export const releasePageRoutes: FastifyPluginAsyncTypebox = async (app) => {
  answerWithPages(app)
  const config = page('anyone')

  app.get(
    `${PROJECT}/releases`,
    { config, schema: { params: Type.Object(OfProject), querystring: Paged } },
    async (req, reply) => {
      const api = new Api(req)
      const project = await projectOf(api, req, req.params.project)
      return show(req, reply, await releaseList(api, project, req.query.page))
    },
  )

  app.get(
    `${PROJECT}/releases/:tag`,
    { config, schema: { params: Type.Object({ ...OfProject, tag: text({ max: MAX_PATH }) }) } },
    async (req, reply) => {
      const api = new Api(req)
      const project = await projectOf(api, req, req.params.project)
      return show(req, reply, await releasePage(api, project, req.params.tag))
    },
  )

  app.get(
    `${PROJECT}/releases/permalink/latest`,
    { config, schema: { params: Type.Object(OfProject) } },
    async (req, reply) => {
      const api = new Api(req)
      const project = await projectOf(api, req, req.params.project)
      const { items } = await api.list(Release, path`/projects/${project.id}/releases`, { per_page: 1 })
      const tag = items[0]?.tag_name
      if (tag === undefined) throw notFound()
      return reply.redirect(pageOf(project, path`releases/${tag}`), 303)
    },
  )

  app.get(
    `${GROUP}/releases`,
    { config, schema: { params: Type.Object(OfGroup), querystring: Paged } },
    async (req, reply) => {
      const api = new Api(req)
      const group = await groupOf(api, req, req.params.group)
      return show(req, reply, await groupReleases(api, group, req.query.page))
    },
  )
}
