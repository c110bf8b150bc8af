import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { Namespace } from '#identity/namespaces/entity.ts'
import { html } from '#platform/http/html.ts'
import { integer, text } from '#platform/http/schema.ts'
import { Group, groupDetailEntity } from '#tenancy/groups/entity.ts'
import { projectEntity } from '#tenancy/projects/entity.ts'
import { makes } from '../frame/action.ts'
import { path } from '../frame/api.ts'
import type { Field, Option } from '../frame/fields.ts'
import { formPage } from '../frame/form-page.ts'
import { pathOf } from '../frame/project.ts'
import { visibilityField, withoutEmpty } from './common-fields.ts'

/** Groups that the form of a new project offers. */
const MOST_GROUPS = 100

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
      const { namespace_id: wanted } = query
      const [groups, namespace] = await Promise.all([
        api.list(Group, '/groups', { min_access_level: 30, per_page: MOST_GROUPS, order_by: 'path' }),
        wanted === undefined ? undefined : api.find(Namespace, path`/namespaces/${wanted}`),
      ])
      const own = { value: '', label: `You (${request.user().username})` }
      const all = [
        own,
        ...groups.items.map((group) => option(group.id, group.full_path)),
        ...(namespace?.kind === 'group' ? [option(namespace.id, namespace.full_path)] : []),
      ]
      const fields: readonly Field[] = [
        { name: 'name', label: 'Name', value: query.name, required: true },
        {
          name: 'namespace_id',
          label: 'In',
          is: 'choice',
          hint: groups.next === undefined ? undefined : `Your first ${MOST_GROUPS} groups.`,
          options: [...new Map(all.map((one) => [one.value, one])).values()],
          value: namespace?.kind === 'group' ? namespace.id : '',
        },
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
          hint: `The end of its address${parent === undefined ? '' : `, after ${parent.full_path}/`}.`,
          required: true,
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
          withoutEmpty(
            makes(groupDetailEntity(), create, ({ full_path }) => `/${full_path}`),
            'parent_id',
          ),
      }
    },
  })
}

const option = (value: number, label: string): Option => ({ value: String(value), label })
