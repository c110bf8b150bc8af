import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { anyone, project, reads, writes } from '#platform/access/route-access.ts'
import { inlineBytes, sendLong } from '#platform/http/long-rows.ts'
import { paginate } from '#platform/http/pagination.ts'
import { NoContent } from '#platform/http/schema.ts'
import { findBareIssue } from '#planning/issues/bare-issue.ts'
import { addTodo } from './add-todo.ts'
import { presentTodo, presentTodos, Todo } from './entity.ts'
import { markAllAsDone } from './mark-all-as-done.ts'
import { markAsDone } from './mark-as-done.ts'
import { ByTarget, ByTodo, TodoFilter } from './parameters.ts'
import { filterTodos, findTodo, longTodos, todoOrder, todosOf } from './queries.ts'

const ownerIn = (req: FastifyRequest) => ({ ...req.viewer, id: req.user().id })

/** The to-do list of the current user: issues that they put on it. */
export const todoRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db } = app

  app.post(
    '/projects/:id/issues/:issue_iid/todo',
    {
      config: writes(project('subscribe_issue')),
      schema: {
        summary: 'Put an issue on your to-do list',
        description: 'Answers 304 while it is there already.',
        params: ByTarget,
        response: { 201: Todo, 304: NoContent },
      },
    },
    async (req, reply) => {
      const owner = ownerIn(req)
      const added = await req.write(async (tx) => {
        const { container } = req.project()
        const issue = await findBareIssue(tx.db, owner, req.project(), req.params.issue_iid)
        const id = await addTodo(tx, { userId: owner.id, projectId: container.id, noteableId: issue.id })
        return id === undefined ? undefined : findTodo(tx.db, owner, id)
      })
      if (added === undefined) return reply.code(304).send()
      return reply.code(201).send(presentTodo(added, req))
    },
  )

  app.get(
    '/todos',
    {
      config: reads(anyone),
      schema: {
        summary: 'List your to-dos',
        description: 'Newest first. A to-do is left out while you may not read its issue.',
        querystring: TodoFilter,
        response: { 200: Type.Array(Todo) },
      },
    },
    async (req, reply) => {
      const todos = (longest?: number) => filterTodos(todosOf(db, ownerIn(req), longest), req.query)
      const page = await paginate(req, reply, todos(inlineBytes(req.query)), todoOrder)
      return sendLong(req, reply, longTodos(page, todos()), (rows) => presentTodos(rows, req))
    },
  )

  app.post(
    '/todos/mark_as_done',
    {
      config: writes(anyone),
      schema: { summary: 'Mark all your to-dos as done', response: { 204: NoContent } },
    },
    async (req, reply) => {
      await req.write((tx) => markAllAsDone(tx, req.user().id))
      return reply.code(204).send()
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
    async (req, reply) => {
      const owner = ownerIn(req)
      // Also one whose issue is hidden at present: it is done, and is not shown.
      await req.write((tx) => markAsDone(tx, owner.id, req.params.id))
      const todo = await findTodo(db, owner, req.params.id)
      return reply.code(201).send(presentTodo(todo, req))
    },
  )
}
