import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { ListedMergeRequest } from '#code/merge-requests/list/entity.ts'
import { page } from '#platform/access/route-access.ts'
import { html } from '#platform/http/html.ts'
import { integer, oneOf, text } from '#platform/http/schema.ts'
import { answerWithPages } from '#platform/pages/page.ts'
import { PROJECT } from '../frame/addresses.ts'
import { Api, path } from '../frame/api.ts'
import { addressOf, choices, emptyList, otherPages, pageNumber } from '../frame/lists.ts'
import { show } from '../frame/show.ts'
import { itemRow } from '../items/row.ts'
import { OfProject, pageOf, projectHeader, projectOf } from '../frame/project.ts'
import { mergeRequestPage, type Tab, tabs } from './merge-request-page.ts'

const states = ['opened', 'merged', 'closed', 'all'] as const
const titles = { opened: 'Open', merged: 'Merged', closed: 'Closed', all: 'All' } as const
const Filter = Type.Object({
  state: Type.Optional(oneOf(states)),
  search: Type.Optional(text()),
  page: pageNumber,
})
const ByIid = Type.Object({ ...OfProject, iid: integer({ minimum: 1 }) })
const Paged = Type.Object({ page: pageNumber })

/** Merge requests: the list, and each with what people say of it, its commits and what it changes. */
export const mergeRequestRoutes: FastifyPluginAsyncTypebox = async (app) => {
  answerWithPages(app)
  const config = page('anyone')

  app.get(
    `${PROJECT}/merge_requests`,
    { config, schema: { params: Type.Object(OfProject), querystring: Filter } },
    async (req, reply) => {
      const api = new Api(req)
      const project = await projectOf(api, req, req.params.project)
      const { page: number, state = 'opened', search } = req.query
      const filter = { state: state === 'opened' ? undefined : state, search }
      const found = await api.list(ListedMergeRequest, path`/projects/${project.id}/merge_requests`, {
        search,
        state,
        page: number,
        with_labels_details: true,
      })
      const here = pageOf(project, 'merge_requests')
      const body = html`<h1>Merge requests</h1>
        ${choices(
          'State',
          states.map((one) => ({
            title: titles[one],
            address: addressOf(here, { search, state: one === 'opened' ? undefined : one }),
            here: one === state,
          })),
        )}
        ${
          found.items.length === 0
            ? emptyList('There is no merge request here. Push a branch, and ask for it to be merged.')
            : html`<ul class="rows">
                ${found.items.map((one) => itemRow(one, `!${one.iid}`, pageOf(project, `merge_requests/${one.iid}`)))}
              </ul>`
        }
        ${otherPages(found, number, here, filter)}`
      return show(req, reply, {
        title: `Merge requests · ${project.name_with_namespace}`,
        body,
        place: projectHeader(project, 'Merge requests'),
      })
    },
  )

  for (const tab of Object.keys(tabs).filter((name): name is Tab => name in tabs))
    app.get(
      `${PROJECT}/merge_requests/:iid${tabs[tab]}`,
      { config, schema: { params: ByIid, querystring: Paged } },
      async (req, reply) => {
        const api = new Api(req)
        const project = await projectOf(api, req, req.params.project)
        const view = await mergeRequestPage(api, project, { iid: req.params.iid, tab, page: req.query.page })
        return show(req, reply, view)
      },
    )
}
