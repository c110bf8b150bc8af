import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { Epic } from '#planning/epics/entity.ts'
import { html } from '#platform/http/html.ts'
import { page } from '#platform/access/route-access.ts'
import { oneOf, text } from '#platform/http/schema.ts'
import { answerWithPages } from '#platform/pages/page.ts'
import { GROUP } from '../frame/addresses.ts'
import { Api, path } from '../frame/api.ts'
import { rightsIn } from '../frame/rights.ts'
import { groupHeader, groupOf, groupPageOf, OfGroup } from '../frame/group.ts'
import { listOf } from '../frame/list-page.ts'
import { needsLicense, pageNumber } from '../frame/lists.ts'
import { show } from '../frame/show.ts'
import { epicsOf } from './epic-list.ts'

const Filter = Type.Object({
  state: Type.Optional(oneOf(['opened', 'closed', 'all'])),
  search: Type.Optional(text()),
  page: pageNumber,
})

/** The list of the epics of a group and its subgroups. */
export const epicPageRoutes: FastifyPluginAsyncTypebox = async (app) => {
  answerWithPages(app)
  const config = page('signed in')

  app.get(
    `${GROUP}/epics`,
    { config, schema: { params: Type.Object(OfGroup), querystring: Filter } },
    async (req, reply) => {
      const api = new Api(req)
      const group = await groupOf(api, req, req.params.group)
      const rights = await rightsIn(api, path`/groups/${group.id}`)
      const { state = 'opened', ...asked } = req.query
      const here = groupPageOf(group, 'epics')
      const list = epicsOf(group, state, asked.search, rights.may('admin_epic'))
      // The header leads here whether the instance has a license or not.
      const isThere = (await api.findList(Epic, list.api, { per_page: 1 })) !== undefined
      return show(req, reply, {
        title: `Epics · ${group.full_name}`,
        place: groupHeader(group, 'Epics'),
        body: isThere
          ? await listOf(api, here, list, asked)
          : html`<h1>Epics</h1>
              ${needsLicense('Epics')}`,
      })
    },
  )
}
