import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type Static, Type } from 'typebox'
import { type Html, html } from '#platform/http/html.ts'
import { text } from '#platform/http/schema.ts'
import { Group } from '#tenancy/groups/entity.ts'
import { eitherProjectEntity, type EitherProject } from '#tenancy/projects/entity.ts'
import type { Action } from '../frame/action.ts'
import type { Forms } from '../frame/forms.ts'
import { listOf } from '../frame/list-page.ts'
import { pageNumber } from '../frame/lists.ts'
import { since } from '../frame/moments.ts'
import { adminPage, Nothing } from './frame.ts'

const Filter = Type.Object({ search: Type.Optional(text()), page: pageNumber })

/** The groups and projects of the instance, with the way to their settings. */
export const placePages: FastifyPluginAsyncTypebox = async (app) => {
  adminPage(app, '/groups', 'Groups', {
    params: Nothing,
    querystring: Filter,
    show: async ({ api, query, forms }) => ({
      title: 'Groups',
      body: await listOf(
        api,
        '/admin/groups',
        {
          title: 'Groups',
          api: '/groups',
          query: { all_available: true },
          item: Group,
          row: (group) => groupRow(group, forms),
          none: 'There is no group yet.',
          search: 'Names of groups',
          make: { title: 'New group', address: '/groups/new' },
        },
        query,
      ),
    }),
    actions: () => ({ delete: (id) => deletes('groups', id, 'The group is deleted.') }),
  })

  adminPage(app, '/projects', 'Projects', {
    params: Nothing,
    querystring: Filter,
    show: async ({ api, query, forms }) => ({
      title: 'Projects',
      body: await listOf(
        api,
        '/admin/projects',
        {
          title: 'Projects',
          api: '/projects',
          query: { order_by: 'last_activity_at', simple: true },
          item: eitherProjectEntity(),
          row: (project) => projectRow(project, forms),
          none: 'There is no project yet.',
          search: 'Names of projects',
          make: { title: 'New project', address: '/projects/new' },
        },
        query,
      ),
    }),
    actions: () => ({ delete: (id) => deletes('projects', id, 'The project is deleted.') }),
  })
}

const groupRow = ({ id, full_path, full_name, visibility }: Static<typeof Group>, forms: Forms): Html =>
  html`<div>
      <a href="/${full_path}"><strong>${full_name}</strong></a> <span class="badge">${visibility}</span>
      <p class="quiet one-line">${full_path}</p>
    </div>
    <p class="aside">
      <a class="button secondary" href="/groups/${full_path}/-/edit"
        >Settings <span class="unseen">of ${full_name}</span></a
      >
    </p>
    ${forms.write({
      does: `delete/${id}`,
      submit: 'Delete',
      about: full_name,
      asks: 'Its projects, groups and everything in them go at once and for good.',
      fields: [pathField(full_path)],
    })}`

function projectRow(project: EitherProject, forms: Forms): Html {
  const { id, path_with_namespace: path, name_with_namespace: name, last_activity_at } = project
  return html`<div>
      <a href="/${path}"><strong>${name}</strong></a> <span class="badge">${project.visibility}</span>
      <p class="quiet one-line">${path} · ${since(last_activity_at)}</p>
    </div>
    <p class="aside">
      <a class="button secondary" href="/${path}/-/settings/general"
        >Settings <span class="unseen">of ${name}</span></a
      >
    </p>
    ${forms.write({
      does: `delete/${id}`,
      submit: 'Delete',
      about: name,
      asks: 'Its code, issues, packages and everything else go at once and for good.',
      fields: [pathField(path)],
    })}`
}

const pathField = (full: string) =>
  ({ name: 'full_path', label: 'Path', hint: `To be sure, type ${full}`, required: true }) as const

/** Deletes what somebody typed the path of, to be sure. */
const deletes =
  (kind: 'groups' | 'projects', id: string, says: string): Action =>
  async (api, { full_path }) => {
    const typed = encodeURIComponent(typeof full_path === 'string' ? full_path.trim() : '')
    await api.send('DELETE', `/${kind}/${encodeURIComponent(id)}?full_path=${typed}`)
    return { says, to: undefined }
  }
