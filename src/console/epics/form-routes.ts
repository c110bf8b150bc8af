import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type Static, Type } from 'typebox'
import { html } from '#platform/http/html.ts'
import { integer } from '#platform/http/schema.ts'
import { EpicSingle } from '#planning/epics/entity.ts'
import { epicNoteable } from '#planning/epics/noteable.ts'
import { GROUP } from '../frame/addresses.ts'
import { asks, makes } from '../frame/action.ts'
import { path } from '../frame/api.ts'
import type { Field } from '../frame/fields.ts'
import { formPage } from '../frame/form-page.ts'
import { groupHeader, groupOf, groupPageOf, OfGroup } from '../frame/group.ts'
import { rightsTo } from '../frame/rights.ts'
import { talkActions } from '../items/talk.ts'
import { ticks } from '../items/tasks.ts'
import { epicPage, EpicQuery } from './epic-page.ts'

const ByIid = Type.Object({ ...OfGroup, iid: integer({ minimum: 1 }) })
const nothing = Type.Object({})

/** An epic with what people say of it, and the forms that open and change one. */
export const epicFormRoutes: FastifyPluginAsyncTypebox = async (app) => {
  formPage(app, `${GROUP}/epics/new`, {
    who: 'signed in',
    params: Type.Object(OfGroup),
    querystring: nothing,
    async show({ request, api, params, forms }) {
      const group = await groupOf(api, request, params.group)
      await rightsTo('admin_epic', api, path`/groups/${group.id}`)
      return {
        title: `New epic · ${group.full_name}`,
        place: groupHeader(group, 'Epics'),
        body: html`<h1>New epic</h1>
          ${forms.write({ does: 'open', submit: 'Open the epic', fields: fieldsOf() })}`,
      }
    },
    async actions({ request, api, params }) {
      const group = await groupOf(api, request, params.group)
      const open = {
        method: 'POST',
        path: path`/groups/${group.id}/epics`,
        says: 'The epic is open.',
      } as const
      return { open: () => makes(EpicSingle, open, ({ iid }) => groupPageOf(group, `epics/${iid}`)) }
    },
  })

  formPage(app, `${GROUP}/epics/:iid`, {
    who: 'signed in',
    params: ByIid,
    querystring: EpicQuery,
    async show(visit) {
      const group = await groupOf(visit.api, visit.request, visit.params.group)
      return epicPage(visit, group, visit.params.iid)
    },
    async actions({ request, api, params: { group: named, iid }, query }) {
      const group = await groupOf(api, request, named)
      const one = path`/groups/${group.id}/epics/${iid}`
      const { id } = await api.get(EpicSingle, one)
      const changes = (state_event: 'close' | 'reopen', says: string) => () =>
        asks({ method: 'PUT', path: one, also: { state_event }, says })
      return {
        ...talkActions(request.identity?.user.id, epicNoteable, path`/groups/${group.id}/epics/${id}`, {
          here: groupPageOf(group, `epics/${iid}`),
          page: query.page,
          awards: one,
        }),
        tick: () =>
          ticks(
            EpicSingle,
            { path: one, parameter: 'description', to: groupPageOf(group, `epics/${iid}`) },
            ({ description, updated_at }) => ({ text: description, updated_at }),
          ),
        close: changes('close', 'The epic is closed.'),
        reopen: changes('reopen', 'The epic is open again.'),
      }
    },
  })

  formPage(app, `${GROUP}/epics/:iid/edit`, {
    who: 'signed in',
    params: ByIid,
    querystring: nothing,
    async show({ request, api, params, forms }) {
      const group = await groupOf(api, request, params.group)
      const address = path`/groups/${group.id}`
      const [epic, rights] = await Promise.all([
        api.get(EpicSingle, `${address}${path`/epics/${params.iid}`}`),
        rightsTo('admin_epic', api, address),
      ])
      return {
        title: `Change ${epic.title} (&${epic.iid}) · ${group.full_name}`,
        place: groupHeader(group, 'Epics'),
        body: html`<h1>Change <span class="quiet">&${epic.iid}</span></h1>
          ${forms.write({ does: 'save', submit: 'Save', changes: true, fields: fieldsOf(epic), updatedAt: epic.updated_at })}
          ${
            rights.may('delete_epic') &&
            forms.write({
              does: 'delete',
              submit: 'Delete',
              about: 'the epic',
              asks: 'The epic and all that was said of it go for good. Its issues stay.',
            })
          }`,
      }
    },
    async actions({ request, api, params }) {
      const group = await groupOf(api, request, params.group)
      const one = path`/groups/${group.id}/epics/${params.iid}`
      return {
        save: () =>
          asks({
            method: 'PUT',
            path: one,
            says: 'The epic is changed.',
            to: groupPageOf(group, `epics/${params.iid}`),
          }),
        delete: () =>
          asks({
            method: 'DELETE',
            path: one,
            says: 'The epic is deleted.',
            to: groupPageOf(group, 'epics'),
          }),
      }
    },
  })
}

const fieldsOf = (epic?: Static<typeof EpicSingle>): readonly Field[] => [
  { name: 'title', label: 'Title', value: epic?.title, required: true },
  { name: 'description', label: 'Description', is: 'markup', hint: 'Markdown.', value: epic?.description },
  { name: 'labels', label: 'Labels', hint: 'With commas.', value: epic?.labels.map(nameOf).join(', ') },
  { name: 'confidential', label: 'Confidential', is: 'check', value: epic?.confidential },
  { name: 'start_date_fixed', label: 'Starts', is: 'date', value: epic?.start_date_fixed },
  { name: 'due_date_fixed', label: 'Due', is: 'date', value: epic?.due_date_fixed },
]

const nameOf = (label: string | { readonly name: string }): string =>
  typeof label === 'string' ? label : label.name
