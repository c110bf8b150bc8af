import { type RawBuilder, sql } from 'kysely'
import type { Static } from 'typebox'
import { avatarOfNamespace, type NamespaceBasicRow } from '#identity/namespaces/entity.ts'
import { type UserBasicRow, userBasicJson } from '#identity/users/basic.ts'
import type { UserCount } from '#identity/users/extension-points.ts'
import { levels } from '#platform/access/roles.ts'
import {
  shapeOfViewer,
  type SqlViewer,
  valuesOfViewer,
  type Viewer,
  viewerIn,
  type ViewerShape,
  type ViewerValues,
} from '#platform/access/viewer.ts'
import { decidingOnce, hasLevel } from '#platform/access/visible.ts'
import { isAnyOf } from '#platform/db/any-of.ts'
import type { Db } from '#platform/db/pool.ts'
import { type Operand, type Params, statement, StatementCache } from '#platform/db/statement.ts'
import { inSubtree } from '#platform/db/subtree.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { notFound } from '#platform/refusals.ts'
import type { LongRows } from '#platform/http/long-rows.ts'
import type { ListOrder } from '#platform/http/order.ts'
import { boundedCount } from '#platform/http/pagination.ts'
import { noteableKinds } from '#planning/noteables/kinds.ts'
import type { TodoRow } from './entity.ts'
import type { TodoFilter } from './parameters.ts'
import { todoTarget, todoTargets } from './targets.ts'

/** A signed-in user, who has a list of their own. */
export type TodoOwner = Viewer & { readonly id: number }

/** The same in SQL. */
type SqlOwner = SqlViewer & { readonly id: Operand<number> }

/** Newest first. */
export const todoOrder: ListOrder = {
  of: 'Todo',
  id: 't.id',
  columns: { id: { column: 't.id' } },
  by: 'id',
  sort: 'desc',
  statements: new StatementCache({ name: 'to-dos', max: 8 }),
}

/** The most characters of a note that its to-do shows. */
const BEGINNING = 1_000

/**
 * The to-dos of a user, without their targets. A to-do is left out while its target is hidden from the user; the text of a
 * note is left out while the note is hidden.
 */
export function todosOf(db: Db | Tx['db'], owner: SqlOwner) {
  return (
    db
      .selectFrom('todos as t')
      // Beside a condition that costs as much as the one below, PostgreSQL would rather read all noteables than look one up.
      .innerJoinLateral(
        (eb) =>
          eb
            .selectFrom('noteables as o')
            .select(['o.kind', 'o.namespace_id'])
            .whereRef('o.id', '=', 't.noteable_id')
            .offset(sql.lit(0))
            .as('nt'),
        (join) => join.onTrue(),
      )
      .innerJoin('namespaces as n', 'n.id', 'nt.namespace_id')
      .leftJoin('projects as p', 'p.project_namespace_id', 'n.id')
      .where('t.user_id', '=', owner.id)
      .where(targetVisibleTo(owner))
      .select([
        't.id',
        't.action',
        't.state',
        't.created_at',
        't.updated_at',
        't.noteable_id',
        'nt.kind',
        'p.id as project_id',
        sql<NamespaceBasicRow & { readonly full_name: string }>`json_build_object('id', n.id, 'name', n.name,
        'path', n.path, 'kind', n.kind, 'full_path', n.full_path, 'parent_id', n.parent_id, 'owner_id', n.owner_id,
        'avatar', ${avatarOfNamespace('n')}, 'full_name', n.full_name)`.as('namespace'),
        sql<UserBasicRow>`(select ${userBasicJson('u')} from users u where u.id = t.author_id)`.as('author'),
        sql<TodoRow['note']>`case when t.note_id is not null then (
        select json_build_object('id', x.id, 'beginning', left(x.body, ${BEGINNING})) from notes x
          where x.id = t.note_id and ${noteOpenTo(owner)}) end`.as('note'),
      ])
  )
}

/** Whether the viewer may see the target of a to-do, and the target can be presented. */
function targetVisibleTo(viewer: SqlViewer): RawBuilder<boolean> {
  const kinds = new Map(noteableKinds().map((kind) => [kind.name, kind]))
  return decidingOnce(viewer, (once) => {
    const id = sql.ref<number>('t.noteable_id')
    const seen = todoTargets.entries.flatMap(({ kind, kept }) => {
      const visible = kinds.get(kind)?.visibleTo(once, id)
      if (visible === undefined) return []
      return [
        sql`when ${sql.lit(kind)} then ${kept === undefined ? visible : sql`${visible} and ${kept(id)}`}`,
      ]
    })
    return sql<boolean>`(case nt.kind ${sql.join(seen, sql` `)} else false end)`
  })
}

/** Whether the note `x` is not internal, or the viewer reads internal ones or wrote it. */
const noteOpenTo = (viewer: SqlOwner): RawBuilder<boolean> =>
  viewer.admin
    ? sql<boolean>`true`
    : sql<boolean>`(not x.internal or x.author_id = ${viewer.id} or ${hasLevel('n', viewer, levels.planner)})`

type TodoQuery = ReturnType<typeof todosOf>
type BareTodo = Awaited<ReturnType<TodoQuery['executeTakeFirstOrThrow']>>

/** What the text of a list depends on. */
interface Shape extends ViewerShape {
  /** How many kinds there are of what to-dos are about. */
  readonly kinds: number
}

/** The lists that most clients ask for. */
const usual = statement({
  name: 'to-dos',
  build: (db, param: Params<ViewerValues & { state: TodoRow['state'] }>, shape: Shape) =>
    todosOf(db, { ...viewerIn(shape, param), id: param('viewer') }).where('t.state', '=', param('state')),
})

/** The to-dos of a user as a request filters them; by default only pending ones pass. */
export function listTodos(db: Db, owner: TodoOwner, filter: Static<typeof TodoFilter>) {
  const { action, author_id, project_id, group_id, state = 'pending', type } = filter
  if ([action, author_id, project_id, group_id, type].some((value) => value !== undefined)) {
    return filterTodos(todosOf(db, owner), filter)
  }
  const shape = { ...shapeOfViewer(owner), kinds: todoTargets.entries.length }
  return usual.bind({ ...valuesOfViewer(owner), state }, shape)
}

function filterTodos(todos: TodoQuery, filter: Static<typeof TodoFilter>): TodoQuery {
  const { action, author_id, project_id, group_id, state = 'pending', type } = filter
  const conditions: RawBuilder<boolean>[] = [sql<boolean>`t.state = ${state}`]
  if (action !== undefined) conditions.push(sql<boolean>`t.action = ${action}`)
  if (author_id !== undefined) conditions.push(sql<boolean>`t.author_id = ${author_id}`)
  if (project_id !== undefined) conditions.push(sql<boolean>`t.project_id = ${project_id}`)
  if (group_id !== undefined) conditions.push(inSubtree('n', group_id))
  if (type !== undefined) conditions.push(sql<boolean>`nt.kind = any(${kindsOf(type)}::text[])`)
  return todos.where((eb) => eb.and(conditions))
}

/** The kinds of a target type; empty for a type that to-dos never have. */
const kindsOf = (type: string) =>
  todoTargets.entries.filter((target) => target.type === type).map(({ kind }) => kind)

/**
 * Reads the targets of to-dos, in one statement for each kind.
 * @param longest the largest size in bytes of a long text; longer ones are left out.
 */
export async function withSubjects(
  db: Db | Tx['db'],
  owner: TodoOwner,
  todos: readonly BareTodo[],
  longest?: number,
): Promise<TodoRow[]> {
  const ids = new Map<string, Set<number>>()
  for (const { kind, noteable_id } of todos) {
    ids.set(kind, (ids.get(kind) ?? new Set()).add(noteable_id))
  }
  const read = [...ids].map(([kind, some]) => todoTarget(kind).read(db, owner, [...some], longest))
  const subjects = new Map((await Promise.all(read)).flat().map((subject) => [subject.id, subject]))
  return todos.flatMap(({ noteable_id, ...todo }) => {
    const subject = subjects.get(noteable_id)
    return subject === undefined ? [] : [{ ...todo, subject }]
  })
}

/** A page of to-dos as `sendLong` takes it. */
export const longTodos = (db: Db, owner: TodoOwner, page: readonly TodoRow[]): LongRows<TodoRow> => ({
  rows: page,
  lacks: ({ subject }) => subject.lacks,
  whole: async (ids) =>
    withSubjects(db, owner, await todosOf(db, owner).where(isAnyOf('t.id', ids)).execute()),
})

/**
 * Finds a to-do of a user.
 * @throws 404, also when its target is hidden from them
 */
export async function findTodo(db: Db | Tx['db'], owner: TodoOwner, id: number): Promise<TodoRow> {
  const bare = await todosOf(db, owner).where('t.id', '=', id).execute()
  const [row] = await withSubjects(db, owner, bare)
  if (row === undefined) throw notFound()
  return row
}

/** How many pending to-dos a user has whose targets they may see; 10,001 means more than 10,000. */
export const pendingTodosCount: UserCount = {
  field: 'todos',
  column: (db, owner) => boundedCount(todosOf(db, owner).where('t.state', '=', 'pending')),
}
