import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { page } from '#platform/access/route-access.ts'
import { html } from '#platform/http/html.ts'
import { integer, text } from '#platform/http/schema.ts'
import { answerWithPages } from '#platform/pages/page.ts'
import { Board } from '#planning/boards/entity.ts'
import { seeOther } from '#platform/http/browser-sessions.ts'
import { Api } from '../frame/api.ts'
import { formPage } from '../frame/form-page.ts'
import type { Forms } from '../frame/forms.ts'
import { rightsIn, rightsTo } from '../frame/rights.ts'
import { ByContainer, type Container, OfContainer, projectsAndGroups } from '../frame/container.ts'
import { pageNumber } from '../frame/lists.ts'
import { show, type View } from '../frame/show.ts'
import { boardForms } from './board-edit-page.ts'
import { boardActions, changingActions, newBoard } from './board-forms.ts'
import { boardPage, BoardQuery } from './board-page.ts'
import { columnPage } from './column-page.ts'

const config = page('anyone')
const ofBoard = { ...OfContainer, board: integer({ minimum: 1 }) }
const ofColumn = { ...ofBoard, list: text({ max: 20, description: '`open`, `closed` or the id of a list.' }) }
const querystring = Type.Object({ page: pageNumber })

/** Boards of projects and groups: their lists with the first issues of each, and all issues of one list. */
export const boardPages: FastifyPluginAsyncTypebox = async (app) => {
  answerWithPages(app)

  for (const { at, open } of projectsAndGroups) {
    formPage(app, `${at}/boards`, {
      params: ByContainer,
      querystring: Type.Object({}),
      async show({ request, api, params, forms }) {
        return firstBoard(api, forms, await open(api, request, params.container))
      },
      async actions({ request, api, params }) {
        return boardActions(await open(api, request, params.container), undefined)
      },
    })

    formPage(app, `${at}/boards/:board`, {
      params: Type.Object(ofBoard),
      querystring: BoardQuery,
      async show(visit) {
        const container = await open(visit.api, visit.request, visit.params.container)
        return boardPage(visit, container, visit.params.board)
      },
      async actions({ request, api, params }) {
        return boardActions(await open(api, request, params.container), params.board)
      },
    })

    formPage(app, `${at}/boards/:board/edit`, {
      who: 'signed in',
      params: Type.Object(ofBoard),
      querystring: Type.Object({}),
      async show({ request, api, params, forms }) {
        const container = await open(api, request, params.container)
        const [board] = await Promise.all([
          api.get(Board, `${container.api}/boards/${params.board}`),
          rightsTo('admin_board', api, container.api),
        ])
        const here = container.page(`boards/${board.id}`)
        return {
          title: `Change ${board.name} · Boards · ${container.title}`,
          place: container.header('Boards'),
          body: html`<h1>Change <a href="${here}">${board.name}</a></h1>
            ${await boardForms(api, forms, container, board)}`,
        }
      },
      async actions({ request, api, params }) {
        return changingActions(await open(api, request, params.container), params.board)
      },
    })

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

/** Leads to the first board, or says how to make one. @throws 303 */
async function firstBoard(api: Api, forms: Forms, container: Container): Promise<View> {
  const [{ items }, rights] = await Promise.all([
    api.list(Board, `${container.api}/boards`, { per_page: 1 }),
    rightsIn(api, container.api),
  ])
  const [first] = items
  if (first !== undefined) throw seeOther(container.page(`boards/${first.id}`))
  return {
    title: `Boards · ${container.title}`,
    place: container.header('Boards'),
    body: html`<h1>Boards</h1>
      <p class="empty">
        There is no board here. A board shows open issues in lists, one for each label, person or milestone.
        Planners and above make one.
      </p>
      ${rights.may('admin_board') && newBoard(forms)}`,
  }
}
