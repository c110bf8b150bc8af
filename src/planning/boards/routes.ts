import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { projectsAndGroups } from '#platform/access/projects-and-groups.ts'
import { reads, writes } from '#platform/access/route-access.ts'
import { isAnyOf } from '#platform/db/any-of.ts'
import { defined } from '#platform/defined.ts'
import { inlineBytes, sendLong } from '#platform/http/long-rows.ts'
import { paginate } from '#platform/http/pagination.ts'
import { assertUnmodified } from '#platform/http/preconditions.ts'
import { ById, NoContent } from '#platform/http/schema.ts'
import { createBoard } from './create-board.ts'
import { deleteBoard } from './delete-board.ts'
import { Board, presentBoard } from './entity.ts'
import { homeOf } from './home-of.ts'
import { BoardChanges, ByBoard, NewBoard, Page } from './parameters.ts'
import { boardOrder, boardsOf, findBoard, lacks, lockBoard } from './queries.ts'
import { scopeIn } from './resolve-scope.ts'
import { updateBoard } from './update-board.ts'

/** Routes for boards of projects and groups; list-routes.ts has their lists. */
export const boardRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db } = app

  for (const { kind, subject, open } of projectsAndGroups) {
    const collection = `/${kind}s/:id/boards` as const

    app.get(
      collection,
      {
        config: reads(subject('read_board')),
        schema: {
          summary: `List the boards of a ${kind}`,
          params: ById,
          querystring: Page,
          response: { 200: Type.Array(Board) },
        },
      },
      async (req, reply) => {
        const { container } = open(req)
        const boards = (longest?: number) => boardsOf(db, container, longest)
        const rows = await paginate(req, reply, boards(inlineBytes(req.query)), boardOrder)
        const home = await homeOf(req, container, rows.length)
        const whole = (ids: readonly number[]) =>
          boards().where(isAnyOf('b.id', ids)).orderBy('b.id').execute()
        const reader = { site: req.site, today: req.viewer.today }
        return sendLong(req, reply, { rows, lacks, whole }, (some) =>
          some.map((row) => presentBoard(row, home, reader)),
        )
      },
    )

    app.get(
      `${collection}/:board_id`,
      {
        config: reads(subject('read_board')),
        schema: { summary: `Get a board of a ${kind}`, params: ByBoard, response: { 200: Board } },
      },
      async (req) => {
        const { container } = open(req)
        const board = await findBoard(db, container, req.params.board_id)
        return presentBoard(board, await homeOf(req, container), { site: req.site, today: req.viewer.today })
      },
    )

    app.post(
      collection,
      {
        config: writes(subject('admin_board')),
        schema: {
          summary: `Create a board in a ${kind}`,
          params: ById,
          body: NewBoard,
          response: { 201: Board },
        },
      },
      async (req) => {
        const authorized = open(req)
        const { container } = authorized
        const board = await req.write(async (tx) =>
          findBoard(tx.db, container, await createBoard(tx, authorized, req.body)),
        )
        return presentBoard(board, await homeOf(req, container), { site: req.site, today: req.viewer.today })
      },
    )

    app.put(
      `${collection}/:board_id`,
      {
        config: writes(subject('admin_board')),
        schema: {
          summary: `Change a board of a ${kind}`,
          params: ByBoard,
          body: BoardChanges,
          refuses: [412],
          response: { 200: Board },
        },
      },
      async (req) => {
        const authorized = open(req)
        const { container } = authorized
        const { board_id } = req.params
        const { milestone_id, assignee_id, labels, ...rest } = req.body
        const board = await req.write(async (tx) => {
          const scope = await scopeIn(tx, authorized, defined({ milestone_id, assignee_id, labels }))
          const locked = await lockBoard(tx, container, board_id)
          assertUnmodified(req, locked.updated_at)
          await updateBoard(tx, locked, { ...rest, ...scope })
          return findBoard(tx.db, container, board_id)
        })
        return presentBoard(board, await homeOf(req, container), { site: req.site, today: req.viewer.today })
      },
    )

    app.delete(
      `${collection}/:board_id`,
      {
        config: writes(subject('admin_board')),
        schema: {
          summary: `Delete a board of a ${kind}`,
          params: ByBoard,
          refuses: [412],
          response: { 204: NoContent },
        },
      },
      async (req) => {
        await req.write(async (tx) => {
          const board = await lockBoard(tx, open(req).container, req.params.board_id, 'delete')
          assertUnmodified(req, board.updated_at)
          await deleteBoard(tx, board)
        })
      },
    )
  }
}
