import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type Static, Type } from 'typebox'
import { Release } from '#delivery/releases/entity.ts'
import { html } from '#platform/http/html.ts'
import { MAX_PATH, text } from '#platform/http/schema.ts'
import { PROJECT } from '../frame/addresses.ts'
import { asks, makes } from '../frame/action.ts'
import { path } from '../frame/api.ts'
import type { Field } from '../frame/fields.ts'
import { pathIn } from '../frame/lists.ts'
import { formPage } from '../frame/form-page.ts'
import { OfProject, pageOf, projectHeader, projectOf } from '../frame/project.ts'
import { rightsTo } from '../frame/rights.ts'

const ByTag = Type.Object({ ...OfProject, tag: text({ max: MAX_PATH }) })

/** Forms that make, change and delete releases. */
export const releaseFormRoutes: FastifyPluginAsyncTypebox = async (app) => {
  formPage(app, `${PROJECT}/releases/new`, {
    who: 'signed in',
    params: Type.Object(OfProject),
    querystring: Type.Object({ tag_name: Type.Optional(text({ max: MAX_PATH })) }),
    async show({ request, api, params, query, forms }) {
      const project = await projectOf(api, request, params.project)
      await rightsTo('admin_release', api, path`/projects/${project.id}`)
      return {
        title: `New release · ${project.name_with_namespace}`,
        place: projectHeader(project, 'Releases'),
        body: html`<h1>New release</h1>
          ${forms.write({
            does: 'make',
            submit: 'Release',
            fields: [
              { name: 'tag_name', label: 'Tag', value: query.tag_name, required: true },
              {
                name: 'ref',
                label: 'Made from',
                hint: 'A branch, tag or commit, if the tag is not there yet.',
                value: project.default_branch,
              },
              ...fieldsOf(),
            ],
          })}`,
      }
    },
    async actions({ request, api, params }) {
      const project = await projectOf(api, request, params.project)
      const asked = {
        method: 'POST',
        path: path`/projects/${project.id}/releases`,
        says: 'It is released.',
      } as const
      return {
        make: () => makes(Release, asked, ({ _links }) => pathIn(_links.self)),
      }
    },
  })

  formPage(app, `${PROJECT}/releases/:tag/edit`, {
    who: 'signed in',
    params: ByTag,
    querystring: Type.Object({}),
    async show({ request, api, params, forms }) {
      const project = await projectOf(api, request, params.project)
      const address = path`/projects/${project.id}`
      await rightsTo('admin_release', api, address)
      const release = await api.get(Release, `${address}${path`/releases/${params.tag}`}`)
      return {
        title: `Change ${release.name} · ${project.name_with_namespace}`,
        place: projectHeader(project, 'Releases'),
        body: html`<h1>Change ${release.name}</h1>
          ${forms.write({
            does: 'save',
            submit: 'Save',
            changes: true,
            fields: fieldsOf(release),
          })}
          ${forms.write({ does: 'delete', submit: 'Delete', about: 'the release', asks: 'Its tag stays.' })}`,
      }
    },
    async actions({ request, api, params }) {
      const project = await projectOf(api, request, params.project)
      const one = path`/projects/${project.id}/releases/${params.tag}`
      return {
        save: () =>
          asks({
            method: 'PUT',
            path: one,
            says: 'The release is changed.',
            to: pageOf(project, path`releases/${params.tag}`),
          }),
        delete: () =>
          asks({
            method: 'DELETE',
            path: one,
            says: 'The release is deleted.',
            to: pageOf(project, 'releases'),
          }),
      }
    },
  })
}

const fieldsOf = (release?: Static<typeof Release>): readonly Field[] => [
  { name: 'name', label: 'Title', value: release?.name },
  {
    name: 'description',
    label: 'What is new',
    is: 'markup',
    hint: 'Markdown.',
    value: release?.description,
  },
]
