import type { Tx } from '#platform/db/transaction.ts'

interface NewTodo {
  readonly userId: number
  readonly projectId: number
  readonly noteableId: number
}

/**
 * Puts a noteable on a user's own list.
 * @returns the id of the to-do; undefined when a pending one is there, also when another request made it just now.
 */
export async function addTodo(
  tx: Tx,
  { userId, projectId, noteableId }: NewTodo,
): Promise<number | undefined> {
  const added = await tx.db
    .insertInto('todos')
    .values({
      user_id: userId,
      author_id: userId,
      project_id: projectId,
      noteable_id: noteableId,
      action: 'marked',
      created_at: tx.now,
      updated_at: tx.now,
    })
    .onConflict((oc) => oc.doNothing())
    .returning('id')
    .executeTakeFirst()
  return added?.id
}
