import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { page } from '#platform/access/route-access.ts'
import { html } from '#platform/http/html.ts'
import { integer, oneOf, text } from '#platform/http/schema.ts'
import { answerWithPages } from '#platform/pages/page.ts'
import { Issue } from '#planning/issues/entity.ts'
import { PROJECT } from '../frame/addresses.ts'
import { Api, path } from '../frame/api.ts'
import { addressOf, choices, emptyList, otherPages, pageNumber } from '../frame/lists.ts'
import { show } from '../frame/show.ts'
import { itemRow } from '../items/row.ts'
import { OfProject, pageOf, projectHeader, projectOf } from '../frame/project.ts'
import { issuePage } from './issue-page.ts'

const states = ['opened', 'closed', 'all'] as const
const Filter = Type.Object({
  state: Type.Optional(oneOf(states)),
  search: Type.Optional(text()),
  labels: Type.Optional(text({ max: 1_024 })),
  milestone: Type.Optional(text()),
  page: pageNumber,
})

const titles = { opened: 'Open', closed: 'Closed', all: 'All' } as const

/** Issues of a project: the list, and each with what people say of it. */
export const issueRoutes: FastifyPluginAsyncTypebox = async (app) => {
  answerWithPages(app)

  app.get(
    `${PROJECT}/issues`,
    { config: page('anyone'), schema: { params: Type.Object(OfProject), querystring: Filter } },
    async (req, reply) => {
      const api = new Api(req)
      const found = await projectOf(api, req, req.params.project)
      const { page: number, state = 'opened', ...words } = req.query
      const filter = { state: state === 'opened' ? undefined : state, ...words }
      const issues = await api.list(Issue, path`/projects/${found.id}/issues`, {
        ...words,
        state,
        page: number,
        with_labels_details: true,
      })
      const here = pageOf(found, 'issues')
      const body = html`<h1>Issues</h1>
        <form class="search" method="get" action="${here}" role="search">
          <label class="unseen" for="search">Words in titles and descriptions</label>
          <input
            id="search"
            type="search"
            name="search"
            value="${words.search}"
            maxlength="255"
            placeholder="Words"
          />
          ${state !== 'opened' && html`<input type="hidden" name="state" value="${state}" />`}
          <button type="submit" class="secondary">Search</button>
        </form>
        ${choices(
          'State',
          states.map((one) => ({
            title: titles[one],
            address: addressOf(here, { ...words, state: one === 'opened' ? undefined : one }),
            here: one === state,
          })),
        )}
        ${
          issues.items.length === 0
            ? emptyList(
                Object.values(words).every((word) => word === undefined)
                  ? 'There is no issue here. The first one says what is to be done.'
                  : 'No issue fits these filters.',
              )
            : html`<ul class="rows">
                ${issues.items.map((issue) => itemRow(issue, `#${issue.iid}`, pageOf(found, `issues/${issue.iid}`)))}
              </ul>`
        }
        ${otherPages(issues, number, here, filter)}`
      return show(req, reply, {
        title: `Issues · ${found.name_with_namespace}`,
        feed: `${here}.atom`,
        body,
        place: projectHeader(found, 'Issues'),
      })
    },
  )

  app.get(
    `${PROJECT}/issues/:iid`,
    {
      config: page('anyone'),
      schema: {
        params: Type.Object({ ...OfProject, iid: integer({ minimum: 1 }) }),
        querystring: Type.Object({ page: pageNumber }),
      },
    },
    async (req, reply) => {
      const api = new Api(req)
      const found = await projectOf(api, req, req.params.project)
      return show(req, reply, await issuePage(api, found, req.params.iid, req.query.page))
    },
  )
}
