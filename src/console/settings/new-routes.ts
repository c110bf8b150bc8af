import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { html } from '#platform/http/html.ts'
import { integer, text } from '#platform/http/schema.ts'
import { groupDetailEntity } from '#tenancy/groups/entity.ts'
import { projectEntity } from '#tenancy/projects/entity.ts'
import { pathFromName } from '#tenancy/projects/names.ts'
import { type Action, makes } from '../frame/action.ts'
import { path } from '../frame/api.ts'
import type { Field } from '../frame/fields.ts'
import { formPage } from '../frame/form-page.ts'
import { pathOf } from '../frame/project.ts'
import { visibilityField, withoutEmpty } from './common-fields.ts'
import { IMPORT } from './import-routes.ts'
import { namespaceField } from './namespace-field.ts'

const Params = Type.Object({})
const id = Type.Optional(integer({ minimum: 1 }))
const NewProject = Type.Object({
  namespace_id: id,
  name: Type.Optional(text({ max: 255 })),
  path: Type.Optional(text({ max: 255 })),
})
const NewGroup = Type.Object({ parent_id: id })

/** Pages that make projects and groups. */
export const newRoutes: FastifyPluginAsyncTypebox = async (app) => {
  formPage(app, '/projects/new', {
    who: 'signed in',
    params: Params,
    querystring: NewProject,
    async show({ request, api, query, forms }) {
      const fields: readonly Field[] = [
        { name: 'name', label: 'Name', value: query.name, required: true },
        await namespaceField(api, request.user().username, query.namespace_id),
        {
          name: 'path',
          label: 'Path',
          hint: 'The end of its address. Empty: what the name says.',
          value: query.path,
        },
        { name: 'description', label: 'Description', is: 'lines' },
        visibilityField('private'),
        {
          name: 'initialize_with_readme',
          label: 'Begin with a README',
          hint: 'Leave it out if you push a repository that is there already.',
          is: 'check',
          value: true,
        },
      ]
      return {
        title: 'New project',
        body: html`<h1>New project</h1>
          <p>
            Or <a href="${IMPORT}">import an archive</a>, which another project of this or another instance
            was exported to.
          </p>
          ${forms.write({ does: 'create', submit: 'Create the project', fields })}`,
      }
    },
    actions: () => {
      const create = { method: 'POST', path: '/projects', says: 'The project is there.' } as const
      return {
        create: () => withoutEmpty(makes(projectEntity(), create, pathOf), 'path', 'namespace_id'),
      }
    },
  })

  formPage(app, '/groups/new', {
    who: 'signed in',
    params: Params,
    querystring: NewGroup,
    async show({ api, query: { parent_id }, forms }) {
      const parent =
        parent_id === undefined
          ? undefined
          : await api.get(groupDetailEntity(), path`/groups/${parent_id}`, { with_projects: false })
      const fields: readonly Field[] = [
        { name: 'name', label: 'Name', required: true },
        {
          name: 'path',
          label: 'Path',
          hint: `The end of its address${parent === undefined ? '' : `, after ${parent.full_path}/`}. Empty: what the name says.`,
        },
        { name: 'description', label: 'Description', is: 'lines' },
        visibilityField(parent?.visibility ?? 'private'),
        { name: 'parent_id', label: '', is: 'hidden', value: parent_id },
      ]
      const title = parent === undefined ? 'New group' : `New group in ${parent.full_name}`
      return {
        title,
        body: html`<h1>${title}</h1>
          ${forms.write({ does: 'create', submit: 'Create the group', fields })}`,
      }
    },
    actions: () => {
      const create = { method: 'POST', path: '/groups', says: 'The group is there.' } as const
      return {
        create: () =>
          withPath(
            withoutEmpty(
              makes(groupDetailEntity(), create, ({ full_path }) => `/${full_path}`),
              'parent_id',
            ),
          ),
      }
    },
  })
}

/** Characters of a name that its path is made of. The API refuses longer names, and some characters stand for eighteen. */
const MOST_OF_NAME = 255

/** The API demands a path of groups; people give them a name. */
const withPath =
  (create: Action): Action =>
  (api, { path: typed, ...parameters }, seen) => {
    const { name } = parameters
    const path = typed === '' && typeof name === 'string' ? pathFromName(name.slice(0, MOST_OF_NAME)) : typed
    return create(api, { ...parameters, path }, seen)
  }
