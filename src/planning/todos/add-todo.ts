import { sql } from 'kysely'
import type { Tx } from '#platform/db/transaction.ts'

interface NewTodo {
  readonly userId: number
  readonly noteableId: number
}

/**
 * Puts a noteable on a user's own list.
 * @returns the id of the to-do; undefined when a pending one is there, also when another request made it just now.
 */
export async function addTodo(tx: Tx, { userId, noteableId }: NewTodo): Promise<number | undefined> {
  const { rows } = await sql<{ id: number }>`
    insert into todos (user_id, author_id, project_id, noteable_id, action, created_at, updated_at)
    select ${userId}, ${userId}, p.id, nt.id, 'marked', ${tx.now}, ${tx.now}
    from noteables nt left join projects p on p.project_namespace_id = nt.namespace_id
    where nt.id = ${noteableId}
    on conflict do nothing
    returning id`.execute(tx.db)
  return rows[0]?.id
}
