import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { Environment } from '#delivery/environments/entity.ts'
import { html } from '#platform/http/html.ts'
import { integer } from '#platform/http/schema.ts'
import { PROJECT } from '../frame/addresses.ts'
import { asks, makes } from '../frame/action.ts'
import { path } from '../frame/api.ts'
import { rightsTo } from '../frame/rights.ts'
import { formPage } from '../frame/form-page.ts'
import { pageNumber } from '../frame/lists.ts'
import { OfProject, pageOf, projectHeader, projectOf } from '../frame/project.ts'
import { decisionActions } from './approvals.ts'
import { environmentFields } from './environment-fields.ts'
import { environmentPage } from './environment-page.ts'

/** An environment with its deployments, and the forms that make, change, stop and delete one. */
export const environmentFormRoutes: FastifyPluginAsyncTypebox = async (app) => {
  formPage(app, `${PROJECT}/environments/new`, {
    who: 'signed in',
    params: Type.Object(OfProject),
    querystring: Type.Object({}),
    async show({ request, api, params, forms }) {
      const project = await projectOf(api, request, params.project)
      await rightsTo('admin_environment', api, path`/projects/${project.id}`)
      const name = { name: 'name', label: 'Name', required: true } as const
      return {
        title: `New environment · ${project.name_with_namespace}`,
        place: projectHeader(project, 'Environments'),
        body: html`<h1>New environment</h1>
          ${forms.write({ does: 'make', submit: 'Make the environment', fields: [name, ...environmentFields()] })}`,
      }
    },
    async actions({ request, api, params }) {
      const project = await projectOf(api, request, params.project)
      const asked = {
        method: 'POST',
        path: path`/projects/${project.id}/environments`,
        says: 'The environment is made.',
      } as const
      return { make: () => makes(Environment, asked, ({ id }) => pageOf(project, `environments/${id}`)) }
    },
  })

  formPage(app, `${PROJECT}/environments/:id`, {
    params: Type.Object({ ...OfProject, id: integer({ minimum: 1 }) }),
    querystring: Type.Object({ page: pageNumber }),
    async show({ request, api, params, query, forms }) {
      const project = await projectOf(api, request, params.project)
      return environmentPage(api, forms, project, { id: params.id, page: query.page })
    },
    async actions({ request, api, params }) {
      const project = await projectOf(api, request, params.project)
      const one = path`/projects/${project.id}/environments/${params.id}`
      const to = pageOf(project, 'environments')
      return {
        ...decisionActions(project.id),
        save: () => asks({ method: 'PUT', path: one, says: 'The environment is changed.' }),
        stop: () => asks({ method: 'POST', path: `${one}/stop`, says: 'The environment is being stopped.' }),
        delete: () => asks({ method: 'DELETE', path: one, says: 'The environment is deleted.', to }),
      }
    },
  })
}
