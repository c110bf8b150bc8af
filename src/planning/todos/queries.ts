import { type RawBuilder, sql } from 'kysely'
import type { Static } from 'typebox'
import type { Viewer } from '#platform/access/viewer.ts'
import { isAnyOf } from '#platform/db/any-of.ts'
import type { Db } from '#platform/db/pool.ts'
import { KeptTexts } from '#platform/db/prepare.ts'
import { inSubtree } from '#platform/db/subtree.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { notFound } from '#platform/http/errors.ts'
import type { LongRows } from '#platform/http/long-rows.ts'
import type { ListOrder } from '#platform/http/order.ts'
import { boundedCount } from '#platform/http/pagination.ts'
import { issuesFor, lackedBy } from '#planning/issues/queries.ts'
import { issueVisibleTo } from '#planning/issues/visible.ts'
import type { UserCount } from '#identity/users/extension-points.ts'
import { type UserBasicRow, userBasicJson } from '#identity/users/basic.ts'
import type { TodoRow } from './entity.ts'
import type { TodoFilter } from './parameters.ts'

/** A signed-in user, who has a list of their own. */
export type TodoOwner = Viewer & { readonly id: number }

/** Newest first. */
export const todoOrder: ListOrder = {
  of: 'Todo',
  id: 't.id',
  columns: { id: { column: 't.id' } },
  by: 'id',
  sort: 'desc',
  kept: new KeptTexts(8),
}

/**
 * The to-dos of a user, each with its issue. A to-do disappears while its issue is hidden from the user.
 * @param longest the largest size in bytes of a long text; longer ones are left out.
 */
export function todosOf(db: Db | Tx['db'], owner: TodoOwner, longest?: number) {
  return issuesFor(db, owner, longest)
    .innerJoin('todos as t', 't.noteable_id', 'i.id')
    .where('t.user_id', '=', owner.id)
    .where(issueVisibleTo(owner))
    .select([
      't.id as todo_id',
      't.action as todo_action',
      't.state as todo_state',
      't.created_at as todo_created_at',
      't.updated_at as todo_updated_at',
      'n.name as project_name',
      'n.full_name as project_full_name',
      sql<UserBasicRow>`(select ${userBasicJson('u')} from users u where u.id = t.author_id)`.as(
        'todo_author',
      ),
    ])
}

type TodoQuery = ReturnType<typeof todosOf>
type ReadTodo = Awaited<ReturnType<TodoQuery['executeTakeFirstOrThrow']>>

/** Narrows the to-dos of a user to those that a request asks for: the pending ones unless it says otherwise. */
export function filterTodos(todos: TodoQuery, filter: Static<typeof TodoFilter>): TodoQuery {
  const { action, author_id, project_id, group_id, state = 'pending', type = 'Issue' } = filter
  const conditions: RawBuilder<boolean>[] = [sql<boolean>`t.state = ${state}`]
  if (action !== undefined) conditions.push(sql<boolean>`t.action = ${action}`)
  if (author_id !== undefined) conditions.push(sql<boolean>`t.author_id = ${author_id}`)
  if (project_id !== undefined) conditions.push(sql<boolean>`t.project_id = ${project_id}`)
  if (group_id !== undefined) conditions.push(inSubtree('n', group_id))
  if (type !== 'Issue') conditions.push(sql<boolean>`false`)
  return todos.where((eb) => eb.and(conditions))
}

/** Makes a to-do of a row that {@link todosOf} read. */
export function todoFrom(row: ReadTodo): TodoRow {
  return {
    id: row.todo_id,
    action: row.todo_action,
    state: row.todo_state,
    created_at: row.todo_created_at,
    updated_at: row.todo_updated_at,
    author: row.todo_author,
    project: { name: row.project_name, full_name: row.project_full_name },
    issue: row,
  }
}

/** A page of to-dos as `sendLong` takes it. @param todos the same query, with nothing left out. */
export const longTodos = (page: readonly ReadTodo[], todos: TodoQuery): LongRows<TodoRow> => ({
  rows: page.map(todoFrom),
  lacks: ({ issue }) => lackedBy(issue),
  whole: async (ids) => (await todos.where(isAnyOf('t.id', ids)).execute()).map(todoFrom),
})

/**
 * Finds a to-do of a user.
 * @throws 404, also when its issue is hidden from them
 */
export async function findTodo(db: Db | Tx['db'], owner: TodoOwner, id: number): Promise<TodoRow> {
  const row = await todosOf(db, owner).where('t.id', '=', id).executeTakeFirst()
  if (row === undefined) throw notFound()
  return todoFrom(row)
}

/** How many pending to-dos a user has, of issues that they may see: 10,001 stands for more than 10,000. */
export const pendingTodosCount: UserCount = {
  field: 'todos',
  column: (db, owner) => boundedCount(todosOf(db, owner).where('t.state', '=', 'pending')),
}
