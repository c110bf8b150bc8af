import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { page } from '#platform/access/route-access.ts'
import { integer, oneOf, text } from '#platform/http/schema.ts'
import { answerWithPages } from '#platform/pages/page.ts'
import { GROUP } from '../frame/addresses.ts'
import { Api } from '../frame/api.ts'
import { groupHeader, groupOf, groupPageOf, OfGroup } from '../frame/group.ts'
import { listOf } from '../frame/list-page.ts'
import { pageNumber } from '../frame/lists.ts'
import { show } from '../frame/show.ts'
import { epicsOf } from './epic-list.ts'
import { epicPage } from './epic-page.ts'

const Filter = Type.Object({
  state: Type.Optional(oneOf(['opened', 'closed', 'all'])),
  search: Type.Optional(text()),
  page: pageNumber,
})

/** Epics of a group and its subgroups: the list, and each with what is in it. */
export const epicPageRoutes: FastifyPluginAsyncTypebox = async (app) => {
  answerWithPages(app)
  const config = page('signed in')

  app.get(
    `${GROUP}/epics`,
    { config, schema: { params: Type.Object(OfGroup), querystring: Filter } },
    async (req, reply) => {
      const api = new Api(req)
      const group = await groupOf(api, req, req.params.group)
      const { state = 'opened', ...asked } = req.query
      const here = groupPageOf(group, 'epics')
      return show(req, reply, {
        title: `Epics · ${group.full_name}`,
        place: groupHeader(group, 'Epics'),
        body: await listOf(api, here, epicsOf(group, state, asked.search), asked),
      })
    },
  )

  app.get(
    `${GROUP}/epics/:iid`,
    {
      config,
      schema: {
        params: Type.Object({ ...OfGroup, iid: integer({ minimum: 1 }) }),
        querystring: Type.Object({ page: pageNumber }),
      },
    },
    async (req, reply) => {
      const api = new Api(req)
      const group = await groupOf(api, req, req.params.group)
      return show(req, reply, await epicPage(api, group, req.params.iid, req.query.page))
    },
  )
}
