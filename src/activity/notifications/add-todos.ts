import { sql } from 'kysely'
import { recordset } from '#platform/db/recordset.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { markTargetAsDone } from '#planning/todos/mark-as-done.ts'
import { todoTargets } from '#planning/todos/targets.ts'
import type { Person } from './audience.ts'
import type { Context } from './context.ts'
import { addressed } from './addressed.ts'
import type { TodoAction } from './notice.ts'

interface NewTodo {
  readonly user_id: number
  readonly action: TodoAction
}

/** Who gets a to-do of a notice; those who may read it, and never who caused it. */
export function todosFor(
  { notice, noteable, note }: Context,
  people: readonly Person[],
  actor: number | null,
): NewTodo[] {
  const { todos } = notice
  if (todos === undefined) return []
  const text = note?.body ?? `${noteable?.title ?? ''}\n${noteable?.description ?? ''}`
  const first = todos.mentioned ? addressed(text) : new Set<string>()
  return people.flatMap(({ id, username, tags, own_activity }) => {
    if (id === actor && !own_activity) return []
    const named = todos.adds?.find((one) => one.id === id)
    if (named !== undefined) return [{ user_id: id, action: named.action }]
    if (todos.reviewed && tags.includes('assigned'))
      return [{ user_id: id, action: 'review_submitted' as const }]
    if (todos.mentioned && tags.includes('mentioned')) {
      const action = first.has(username.toLowerCase()) ? 'directly_addressed' : 'mentioned'
      return [{ user_id: id, action } as const]
    }
    if (todos.approvers && tags.includes('approver'))
      return [{ user_id: id, action: 'approval_required' as const }]
    return []
  })
}

/** Puts a noteable on lists. A pending to-do of the same person about the same thing stays, whatever its reason. */
export async function addTodos(
  tx: Tx,
  context: Context,
  todos: readonly NewTodo[],
  actor: number | null,
  at: string,
): Promise<void> {
  const target = context.notice.todos?.on ?? context.noteable?.id
  if (todos.length === 0 || target === undefined) return
  const kinds = todoTargets.entries.map(({ kind }) => kind)
  await sql`
    insert into todos (user_id, author_id, project_id, noteable_id, note_id, action, created_at, updated_at)
    select t.user_id, coalesce(${actor}::bigint, t.user_id), ${context.place.project_id}::bigint, nt.id,
      ${context.note?.id ?? null}::bigint, t.action, ${at}, ${at}
    from ${recordset('todos', todos)} as t
      join noteables nt on nt.id = ${target} and nt.kind = any(${kinds}::text[])
    order by t.user_id
    on conflict do nothing`.execute(tx.db)
}

/** Marks as done what the author of a notice had to do about its noteable, as far as it was there before. */
export async function resolveTodos(
  tx: Tx,
  { notice, noteable }: Context,
  actor: number | null,
  at: string,
): Promise<void> {
  if (notice.todos?.resolves && actor !== null && noteable !== undefined)
    await markTargetAsDone(tx, actor, noteable.id, at)
}
