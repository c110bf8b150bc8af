import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { html } from '#platform/http/html.ts'
import { integer } from '#platform/http/schema.ts'
import { GroupLabel, ProjectLabel } from '#planning/labels/entity.ts'
import { Milestone } from '#planning/milestones/entity.ts'
import { asks, makes } from '../frame/action.ts'
import { path } from '../frame/api.ts'
import { ByContainer, OfContainer, projectsAndGroups } from '../frame/container.ts'
import { formPage } from '../frame/form-page.ts'
import { pathIn } from '../frame/lists.ts'
import { rightsTo } from '../frame/rights.ts'
import { labelFields, milestoneFields } from './fields.ts'
import { findMilestone, milestonePage, MilestoneParts } from './milestone-page.ts'

const nothing = Type.Object({})
const ByIid = Type.Object({ ...OfContainer, iid: integer({ minimum: 1 }) })
const ByLabel = Type.Object({ ...OfContainer, label: integer({ minimum: 1 }) })

/** The forms of milestones and labels of projects and groups. */
export const milestoneFormRoutes: FastifyPluginAsyncTypebox = async (app) => {
  for (const { at, open } of projectsAndGroups) {
    formPage(app, `${at}/milestones/new`, {
      who: 'signed in',
      params: ByContainer,
      querystring: nothing,
      async show({ request, api, params, forms }) {
        const container = await open(api, request, params.container)
        await rightsTo('admin_milestone', api, container.api)
        const form = { does: 'make', submit: 'Make the milestone', fields: milestoneFields() }
        return {
          title: `New milestone · ${container.title}`,
          place: container.header('Milestones'),
          body: html`<h1>New milestone</h1>
            ${forms.write(form)}`,
        }
      },
      async actions({ request, api, params }) {
        const container = await open(api, request, params.container)
        const asked = {
          method: 'POST',
          path: `${container.api}/milestones`,
          says: 'The milestone is made.',
        } as const
        return { make: () => makes(Milestone, asked, ({ web_url }) => pathIn(web_url)) }
      },
    })

    formPage(app, `${at}/milestones/:iid`, {
      params: ByIid,
      querystring: MilestoneParts,
      async show({ request, api, params, query, forms }) {
        const container = await open(api, request, params.container)
        return milestonePage(api, forms, container, { iid: params.iid, parts: query })
      },
      async actions({ request, api, params }) {
        const container = await open(api, request, params.container)
        const { id } = await findMilestone(api, container, params.iid)
        const one = container.api + path`/milestones/${id}`
        const put = (says: string, also: object = {}) =>
          asks({ method: 'PUT', path: one, also: { ...also }, says })
        return {
          save: () => put('The milestone is changed.'),
          close: () => put('The milestone is closed.', { state_event: 'close' }),
          activate: () => put('The milestone is open again.', { state_event: 'activate' }),
          delete: () =>
            asks({
              method: 'DELETE',
              path: one,
              says: 'The milestone is deleted.',
              to: container.page('milestones'),
            }),
        }
      },
    })

    formPage(app, `${at}/labels/new`, {
      who: 'signed in',
      params: ByContainer,
      querystring: nothing,
      async show({ request, api, params, forms }) {
        const container = await open(api, request, params.container)
        await rightsTo('admin_label', api, container.api)
        const form = { does: 'make', submit: 'Make the label', fields: labelFields('name') }
        return {
          title: `New label · ${container.title}`,
          place: container.header('Labels'),
          body: html`<h1>New label</h1>
            ${forms.write(form)}`,
        }
      },
      async actions({ request, api, params }) {
        const container = await open(api, request, params.container)
        const to = container.page('labels')
        return {
          make: () =>
            asks({ method: 'POST', path: `${container.api}/labels`, says: 'The label is made.', to }),
        }
      },
    })

    formPage(app, `${at}/labels/:label/edit`, {
      who: 'signed in',
      params: ByLabel,
      querystring: nothing,
      async show({ request, api, params, forms }) {
        const container = await open(api, request, params.container)
        await rightsTo('admin_label', api, container.api)
        const one = container.api + path`/labels/${params.label}`
        const label =
          container.kind === 'project' ? await api.get(ProjectLabel, one) : await api.get(GroupLabel, one)
        return {
          title: `Change ${label.name} · ${container.title}`,
          place: container.header('Labels'),
          body: html`<h1>Change ${label.name}</h1>
            ${forms.write({ does: 'save', submit: 'Save', changes: true, fields: labelFields('new_name', label) })}
            ${forms.write({ does: 'delete', submit: 'Delete', asks: 'All that have it lose it.' })}`,
        }
      },
      async actions({ request, api, params }) {
        const container = await open(api, request, params.container)
        const one = container.api + path`/labels/${params.label}`
        const to = container.page('labels')
        return {
          save: () => asks({ method: 'PUT', path: one, says: 'The label is changed.', to }),
          delete: () => asks({ method: 'DELETE', path: one, says: 'The label is deleted.', to }),
        }
      },
    })
  }
}
