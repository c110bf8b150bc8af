import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { projectsAndGroups } from '#platform/access/projects-and-groups.ts'
import { reads, writes } from '#platform/access/route-access.ts'
import { paginate } from '#platform/http/pagination.ts'
import { assertUnmodified } from '#platform/http/preconditions.ts'
import { NoContent } from '#platform/http/schema.ts'
import { createList } from './create-list.ts'
import { deleteList } from './delete-list.ts'
import { BoardList, type ListRow, presentList } from './entity.ts'
import { moveList } from './move-list.ts'
import { ByBoard, ByBoardList, ListChanges, NewList, Page } from './parameters.ts'
import { findBoard, findList, listOrder, listsOf, lockBoard } from './queries.ts'

const present = (row: ListRow, { site, viewer: { today } }: FastifyRequest) =>
  presentList(row, { site, today })

/** Routes for the lists of boards. */
export const boardListRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db } = app

  for (const { kind, subject, open } of projectsAndGroups) {
    const collection = `/${kind}s/:id/boards/:board_id/lists` as const

    app.get(
      collection,
      {
        config: reads(subject('read_board')),
        schema: {
          summary: `List the lists of a board of a ${kind}`,
          description: 'In their order, without those of other open issues and of closed ones.',
          params: ByBoard,
          querystring: Page,
          response: { 200: Type.Array(BoardList) },
        },
      },
      async (req, reply) => {
        const { container } = open(req)
        const { board_id } = req.params
        const rows = await paginate(req, reply, listsOf(db, container, board_id), listOrder)
        if (rows.length === 0) await findBoard(db, container, board_id)
        return rows.map((row) => present(row, req))
      },
    )

    app.get(
      `${collection}/:list_id`,
      {
        config: reads(subject('read_board')),
        schema: {
          summary: `Get a list of a board of a ${kind}`,
          params: ByBoardList,
          response: { 200: BoardList },
        },
      },
      async (req) => present(await findList(db, open(req).container, req.params), req),
    )

    app.post(
      collection,
      {
        config: writes(subject('admin_board')),
        schema: {
          summary: `Add a list to a board of a ${kind}`,
          description: 'For a label, a person or a milestone. It comes behind the other lists.',
          params: ByBoard,
          body: NewList,
          response: { 201: BoardList },
        },
      },
      async (req) => {
        const authorized = open(req)
        const { board_id } = req.params
        const list = await req.write(async (tx) => {
          const list_id = await createList(tx, authorized, board_id, req.body)
          return findList(tx.db, authorized.container, { board_id, list_id })
        })
        return present(list, req)
      },
    )

    app.put(
      `${collection}/:list_id`,
      {
        config: writes(subject('admin_board')),
        schema: {
          summary: `Move a list of a board of a ${kind}`,
          params: ByBoardList,
          body: ListChanges,
          refuses: [412],
          response: { 200: BoardList },
        },
      },
      async (req) => {
        const { container } = open(req)
        const list = await req.write(async (tx) => {
          const board = await lockBoard(tx, container, req.params.board_id)
          const found = await findList(tx.db, container, req.params)
          assertUnmodified(req, found.updated_at)
          await moveList(tx, board, found, req.body.position)
          return findList(tx.db, container, req.params)
        })
        return present(list, req)
      },
    )

    app.delete(
      `${collection}/:list_id`,
      {
        config: writes(subject('admin_board')),
        schema: {
          summary: `Take a list off a board of a ${kind}`,
          params: ByBoardList,
          refuses: [412],
          response: { 204: NoContent },
        },
      },
      async (req) => {
        const { container } = open(req)
        await req.write(async (tx) => {
          const board = await lockBoard(tx, container, req.params.board_id)
          const list = await findList(tx.db, container, req.params)
          assertUnmodified(req, list.updated_at)
          await deleteList(tx, board, list)
        })
      },
    )
  }
}
