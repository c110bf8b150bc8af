import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { page } from '#platform/access/route-access.ts'
import { integer, text } from '#platform/http/schema.ts'
import { answerWithPages } from '#platform/pages/page.ts'
import { GROUP, PROJECT } from '../frame/addresses.ts'
import { Api } from '../frame/api.ts'
import { groupOf, OfGroup } from '../frame/group.ts'
import { pageNumber } from '../frame/lists.ts'
import { OfProject, projectOf } from '../frame/project.ts'
import { show } from '../frame/show.ts'
import { groupImages, imageList, imagePage } from './image-pages.ts'
import { groupPackages, packageList } from './package-list.ts'
import { packagePage } from './package-page.ts'
import { virtualRegistries } from './virtual-registries.ts'

const params = Type.Object(OfProject)
const ById = Type.Object({ ...OfProject, id: integer({ minimum: 1 }) })
const Paged = Type.Object({ page: pageNumber })
const Filter = Type.Object({
  type: Type.Optional(text({ max: 32 })),
  name: Type.Optional(text()),
  page: pageNumber,
})
const Tags = Type.Object({ tag: Type.Optional(text({ max: 128 })), page: pageNumber })

/** Packages and images of projects and groups. */
export const packagePageRoutes: FastifyPluginAsyncTypebox = async (app) => {
  answerWithPages(app)
  const config = page('anyone')

  app.get(`${PROJECT}/packages`, { config, schema: { params, querystring: Filter } }, async (req, reply) => {
    const api = new Api(req)
    const project = await projectOf(api, req, req.params.project)
    return show(req, reply, await packageList(api, project, req.query))
  })

  app.get(
    `${PROJECT}/packages/:id`,
    { config, schema: { params: ById, querystring: Paged } },
    async (req, reply) => {
      const api = new Api(req)
      const project = await projectOf(api, req, req.params.project)
      return show(req, reply, await packagePage(api, project, req.params.id, req.query.page))
    },
  )

  app.get(
    `${PROJECT}/container_registry`,
    { config, schema: { params, querystring: Paged } },
    async (req, reply) => {
      const api = new Api(req)
      const project = await projectOf(api, req, req.params.project)
      return show(req, reply, await imageList(api, project, req.query.page))
    },
  )

  app.get(
    `${PROJECT}/container_registry/:id`,
    { config, schema: { params: ById, querystring: Tags } },
    async (req, reply) => {
      const api = new Api(req)
      const project = await projectOf(api, req, req.params.project)
      return show(req, reply, await imagePage(api, project, { ...req.query, id: req.params.id }))
    },
  )

  const ofGroup = { params: Type.Object(OfGroup) }
  app.get(
    `${GROUP}/packages`,
    { config, schema: { ...ofGroup, querystring: Filter } },
    async (req, reply) => {
      const api = new Api(req)
      const group = await groupOf(api, req, req.params.group)
      return show(req, reply, await groupPackages(api, group, req.query))
    },
  )

  app.get(`${GROUP}/virtual_registries`, { config, schema: ofGroup }, async (req, reply) => {
    const api = new Api(req)
    const group = await groupOf(api, req, req.params.group)
    return show(req, reply, await virtualRegistries(api, group))
  })

  app.get(
    `${GROUP}/container_registries`,
    { config, schema: { ...ofGroup, querystring: Paged } },
    async (req, reply) => {
      const api = new Api(req)
      const group = await groupOf(api, req, req.params.group)
      return show(req, reply, await groupImages(api, group, req.query.page))
    },
  )
}
