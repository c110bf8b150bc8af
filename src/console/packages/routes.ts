import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { page } from '#platform/access/route-access.ts'
import { integer, text } from '#platform/http/schema.ts'
import { answerWithPages } from '#platform/pages/page.ts'
import { GROUP, PROJECT } from '../frame/addresses.ts'
import { asks } from '../frame/action.ts'
import { Api, path } from '../frame/api.ts'
import { formPage } from '../frame/form-page.ts'
import { groupOf, OfGroup } from '../frame/group.ts'
import { pageNumber } from '../frame/lists.ts'
import { OfProject, pageOf, projectOf } from '../frame/project.ts'
import { show } from '../frame/show.ts'
import { groupImages, imageList, imagePage } from './image-pages.ts'
import { groupPackages, packageList } from './package-list.ts'
import { packagePage } from './package-page.ts'
import { virtualRegistries } from './virtual-registries.ts'
import { virtualRegistryActions } from './virtual-registry-forms.ts'

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

  formPage(app, `${PROJECT}/packages/:id`, {
    params: ById,
    querystring: Paged,
    async show({ request, api, params: { project: named, id }, query, forms }) {
      const project = await projectOf(api, request, named)
      return packagePage(api, forms, project, { id, page: query.page })
    },
    async actions({ request, api, params: { project: named, id } }) {
      const project = await projectOf(api, request, named)
      const one = path`/projects/${project.id}/packages/${id}`
      const to = pageOf(project, 'packages')
      return { delete: () => asks({ method: 'DELETE', path: one, says: 'The package is deleted.', to }) }
    },
  })

  app.get(
    `${PROJECT}/container_registry`,
    { config, schema: { params, querystring: Paged } },
    async (req, reply) => {
      const api = new Api(req)
      const project = await projectOf(api, req, req.params.project)
      return show(req, reply, await imageList(api, project, req.query.page))
    },
  )

  formPage(app, `${PROJECT}/container_registry/:id`, {
    params: ById,
    querystring: Tags,
    async show({ request, api, params: { project: named, id }, query, forms }) {
      const project = await projectOf(api, request, named)
      return imagePage(api, forms, project, { ...query, id })
    },
    async actions({ request, api, params: { project: named, id } }) {
      const project = await projectOf(api, request, named)
      const one = path`/projects/${project.id}/registry/repositories/${id}`
      const to = pageOf(project, 'container_registry')
      return {
        delete: () => asks({ method: 'DELETE', path: one, says: 'The repository is being deleted.', to }),
        'delete-tag': (tag) =>
          asks({
            method: 'DELETE',
            path: `${one}${path`/tags/${tag}`}`,
            says: 'The tag is deleted.',
            to: `${to}/${id}`,
          }),
      }
    },
  })

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

  formPage(app, `${GROUP}/virtual_registries`, {
    ...ofGroup,
    querystring: Type.Object({}),
    async show({ request, api, forms, params: { group } }) {
      return virtualRegistries(api, forms, await groupOf(api, request, group))
    },
    async actions({ request, api, params }) {
      const { id } = await groupOf(api, request, params.group)
      return virtualRegistryActions(path`/groups/${id}/-/virtual_registries/container/registries`)
    },
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
