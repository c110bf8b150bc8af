import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { page } from '#platform/access/route-access.ts'
import { html } from '#platform/http/html.ts'
import { integer, text } from '#platform/http/schema.ts'
import { answerWithPages } from '#platform/pages/page.ts'
import { Board } from '#planning/boards/entity.ts'
import { GROUP, PROJECT } from '../frame/addresses.ts'
import { Api } from '../frame/api.ts'
import { OfGroup } from '../frame/group.ts'
import { pageNumber } from '../frame/lists.ts'
import { OfProject } from '../frame/project.ts'
import { show } from '../frame/show.ts'
import { boardPage } from './board-page.ts'
import { columnPage } from './column-page.ts'
import { type BoardPlace, groupPlace, projectPlace } from './place.ts'

const config = page('anyone')
const ofBoard = { board: integer({ minimum: 1 }) }
const ofColumn = { ...ofBoard, list: text({ max: 20, description: '`open`, `closed` or the id of a list.' }) }
const querystring = Type.Object({ page: pageNumber })

/** Boards of projects and groups: their lists with the first issues of each, and all issues of one list. */
export const boardPages: FastifyPluginAsyncTypebox = async (app) => {
  answerWithPages(app)

  app.get(`${PROJECT}/boards`, { config, schema: { params: Type.Object(OfProject) } }, async (req, reply) => {
    const api = new Api(req)
    return firstBoard(req, reply, api, await projectPlace(api, req, req.params.project))
  })
  app.get(`${GROUP}/boards`, { config, schema: { params: Type.Object(OfGroup) } }, async (req, reply) => {
    const api = new Api(req)
    return firstBoard(req, reply, api, await groupPlace(api, req, req.params.group))
  })

  app.get(
    `${PROJECT}/boards/:board`,
    { config, schema: { params: Type.Object({ ...OfProject, ...ofBoard }), querystring } },
    async (req, reply) => {
      const api = new Api(req)
      const place = await projectPlace(api, req, req.params.project)
      return show(req, reply, await boardPage(api, place, req.params.board, req.query.page))
    },
  )
  app.get(
    `${GROUP}/boards/:board`,
    { config, schema: { params: Type.Object({ ...OfGroup, ...ofBoard }), querystring } },
    async (req, reply) => {
      const api = new Api(req)
      const place = await groupPlace(api, req, req.params.group)
      return show(req, reply, await boardPage(api, place, req.params.board, req.query.page))
    },
  )

  app.get(
    `${PROJECT}/boards/:board/lists/:list`,
    { config, schema: { params: Type.Object({ ...OfProject, ...ofColumn }), querystring } },
    async (req, reply) => {
      const api = new Api(req)
      const { project, board, list: key } = req.params
      const place = await projectPlace(api, req, project)
      return show(req, reply, await columnPage(api, place, { board, key, page: req.query.page }))
    },
  )
  app.get(
    `${GROUP}/boards/:board/lists/:list`,
    { config, schema: { params: Type.Object({ ...OfGroup, ...ofColumn }), querystring } },
    async (req, reply) => {
      const api = new Api(req)
      const { group, board, list: key } = req.params
      const place = await groupPlace(api, req, group)
      return show(req, reply, await columnPage(api, place, { board, key, page: req.query.page }))
    },
  )
}

/** Leads to the first board, or says how to make one. */
async function firstBoard(
  req: FastifyRequest,
  reply: FastifyReply,
  api: Api,
  place: BoardPlace,
): Promise<FastifyReply> {
  const { items } = await api.list(Board, `${place.api}/boards`, { per_page: 1 })
  const [first] = items
  if (first !== undefined) return reply.redirect(`${place.boards}/${first.id}`, 302)
  const body = html`<h1>Boards</h1>
    <p class="empty">
      There is no board here. A board shows open issues in lists, one for each label, person or milestone.
      Planners and above make one with the API: <code>POST /api/v4${place.api}/boards</code>.
    </p>`
  return show(req, reply, { title: `Boards · ${place.name}`, body, place: place.header })
}
