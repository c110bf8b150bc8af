import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { anyone, reads, writes } from '#platform/access/route-access.ts'
import { inlineBytes, sendLong } from '#platform/http/long-rows.ts'
import { paginate } from '#platform/http/pagination.ts'
import { NoContent } from '#platform/http/schema.ts'
import { presentTodo, presentTodos, todoEntity } from './entity.ts'
import { markAllAsDone } from './mark-all-as-done.ts'
import { markAsDone } from './mark-as-done.ts'
import { ByTodo, TodoFilter } from './parameters.ts'
import { findTodo, listTodos, longTodos, todoOrder, withSubjects } from './queries.ts'

const ownerIn = (req: FastifyRequest) => ({ ...req.viewer, id: req.user().id })

/** The to-do list of the current user. */
export const todoRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db } = app
  const Todo = todoEntity()

  app.get(
    '/todos',
    {
      config: reads(anyone),
      schema: {
        summary: 'List your to-dos',
        description: 'Newest first. A to-do is left out while you may not read what it is about.',
        querystring: TodoFilter,
        response: { 200: Type.Array(Todo) },
      },
    },
    async (req, reply) => {
      const owner = ownerIn(req)
      const page = await paginate(req, reply, listTodos(db, owner, req.query), todoOrder)
      const rows = await withSubjects(db, owner, page, inlineBytes(req.query))
      if (rows.length < page.length) logLeftOut(req, page, rows)
      return sendLong(req, reply, longTodos(db, owner, rows), (some) => presentTodos(some, req))
    },
  )

  app.post(
    '/todos/mark_as_done',
    {
      config: writes(anyone),
      schema: { summary: 'Mark all your to-dos as done', response: { 204: NoContent } },
    },
    async (req) => {
      await req.write((tx) => markAllAsDone(tx, req.user().id))
    },
  )

  app.post(
    '/todos/:id/mark_as_done',
    {
      config: writes(anyone),
      schema: {
        summary: 'Mark one of your to-dos as done',
        description: 'One that is done already stays as it is.',
        params: ByTodo,
        response: { 201: Todo },
      },
    },
    async (req) => {
      const owner = ownerIn(req)
      // Also one whose target is hidden at present: it is done, and is not shown.
      await req.write((tx) => markAsDone(tx, owner.id, req.params.id))
      const todo = await findTodo(db, owner, req.params.id)
      return presentTodo(todo, req)
    },
  )
}

/** What was hidden meanwhile, or was kept in a form that the API no longer shows. */
function logLeftOut(req: FastifyRequest, page: readonly WithId[], rows: readonly WithId[]): void {
  const shown = new Set(rows.map(({ id }) => id))
  const todos = page.flatMap(({ id }) => (shown.has(id) ? [] : [id]))
  req.log.warn({ todos }, 'left out to-dos: what they are about cannot be read')
}

interface WithId {
  readonly id: number
}
