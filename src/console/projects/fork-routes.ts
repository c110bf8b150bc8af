import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { Namespace } from '#identity/namespaces/entity.ts'
import { html } from '#platform/http/html.ts'
import { projectEntity } from '#tenancy/projects/entity.ts'
import { PROJECT } from '../frame/addresses.ts'
import { makes } from '../frame/action.ts'
import { path } from '../frame/api.ts'
import type { Field } from '../frame/fields.ts'
import { formPage } from '../frame/form-page.ts'
import { OfProject, pathOf, projectHeader, projectOf } from '../frame/project.ts'
import { rightsIn } from '../frame/rights.ts'

/** Namespaces that can be chosen. */
const MOST = 100

const visibilities = [
  { value: 'private', label: 'Private' },
  { value: 'internal', label: 'Internal' },
  { value: 'public', label: 'Public' },
] as const

/** A project of one's own with the code of another one. */
export const forkFormRoutes: FastifyPluginAsyncTypebox = async (app) => {
  formPage(app, `${PROJECT}/forks/new`, {
    who: 'signed in',
    params: Type.Object(OfProject),
    querystring: Type.Object({}),
    async show({ request, api, params, forms }) {
      const project = await projectOf(api, request, params.project)
      const [rights, namespaces] = await Promise.all([
        rightsIn(api, path`/projects/${project.id}`),
        api.list(Namespace, '/namespaces', { per_page: MOST }),
      ])
      const own = namespaces.items.find(({ path: name }) => name === request.identity?.user.username)
      const last = visibilities.findIndex(({ value }) => value === project.visibility)
      const fields: readonly Field[] = [
        {
          name: 'namespace_id',
          label: 'Where it is made',
          is: 'choice',
          options: namespaces.items.map(({ id, full_path }) => ({ value: String(id), label: full_path })),
          value: own?.id,
        },
        { name: 'name', label: 'Name', value: project.name, required: true },
        {
          name: 'path',
          label: 'Path',
          value: project.path,
          required: true,
          hint: 'The last part of its address.',
        },
        {
          name: 'visibility',
          label: 'Visibility',
          is: 'choice',
          options: visibilities.slice(0, last + 1),
          value: project.visibility,
          hint: 'Not more open than the project that is forked.',
        },
      ]
      return {
        title: `Fork ${project.name_with_namespace}`,
        place: projectHeader(project, 'Forks'),
        body: html`<h1>Fork ${project.name}</h1>
          ${
            rights.may('fork_project')
              ? html`<p>A fork is a copy of your own, from which you can propose changes to this project.</p>
                  ${forms.write({ does: 'fork', submit: 'Fork the project', fields })}`
              : html`<p class="empty">You may not fork this project.</p>`
          }`,
      }
    },
    async actions({ request, api, params }) {
      const project = await projectOf(api, request, params.project)
      const fork = {
        method: 'POST',
        path: path`/projects/${project.id}/fork`,
        says: 'The fork is made. Its branches and tags are there in a moment.',
      } as const
      return { fork: () => makes(projectEntity(), fork, (made) => pathOf(made)) }
    },
  })
}
