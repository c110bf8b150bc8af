import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { page } from '#platform/access/route-access.ts'
import { html } from '#platform/http/html.ts'
import { integer, text } from '#platform/http/schema.ts'
import { answerWithPages } from '#platform/pages/page.ts'
import { Board } from '#planning/boards/entity.ts'
import { Api } from '../frame/api.ts'
import { ByContainer, type Container, OfContainer, projectsAndGroups } from '../frame/container.ts'
import { pageNumber } from '../frame/lists.ts'
import { show } from '../frame/show.ts'
import { boardPage } from './board-page.ts'
import { columnPage } from './column-page.ts'

const config = page('anyone')
const ofBoard = { ...OfContainer, board: integer({ minimum: 1 }) }
const ofColumn = { ...ofBoard, list: text({ max: 20, description: '`open`, `closed` or the id of a list.' }) }
const querystring = Type.Object({ page: pageNumber })

/** Boards of projects and groups: their lists with the first issues of each, and all issues of one list. */
export const boardPages: FastifyPluginAsyncTypebox = async (app) => {
  answerWithPages(app)

  for (const { at, open } of projectsAndGroups) {
    app.get(`${at}/boards`, { config, schema: { params: ByContainer } }, async (req, reply) => {
      const api = new Api(req)
      return firstBoard(req, reply, api, await open(api, req, req.params.container))
    })

    app.get(
      `${at}/boards/:board`,
      { config, schema: { params: Type.Object(ofBoard), querystring } },
      async (req, reply) => {
        const api = new Api(req)
        const container = await open(api, req, req.params.container)
        return show(req, reply, await boardPage(api, container, req.params.board, req.query.page))
      },
    )

    app.get(
      `${at}/boards/:board/lists/:list`,
      { config, schema: { params: Type.Object(ofColumn), querystring } },
      async (req, reply) => {
        const api = new Api(req)
        const { board, list: key } = req.params
        const container = await open(api, req, req.params.container)
        return show(req, reply, await columnPage(api, container, { board, key, page: req.query.page }))
      },
    )
  }
}

/** Leads to the first board, or says how to make one. */
async function firstBoard(
  req: FastifyRequest,
  reply: FastifyReply,
  api: Api,
  container: Container,
): Promise<FastifyReply> {
  const { items } = await api.list(Board, `${container.api}/boards`, { per_page: 1 })
  const [first] = items
  if (first !== undefined) return reply.redirect(container.page(`boards/${first.id}`), 302)
  const body = html`<h1>Boards</h1>
    <p class="empty">
      There is no board here. A board shows open issues in lists, one for each label, person or milestone.
      Planners and above make one with the API: <code>POST /api/v4${container.api}/boards</code>.
    </p>`
  return show(req, reply, { title: `Boards · ${container.title}`, body, place: container.header('Boards') })
}
