import type { Tx } from '#platform/db/transaction.ts'
import { addTodo } from './add-todo.ts'
import { markTargetAsDone } from './mark-as-done.ts'

/** Puts a noteable on a user's own list, or marks it there as done. Nothing happens where it is so already. */
export async function changeTodo(
  tx: Tx,
  noteableId: number,
  userId: number,
  event: 'add' | 'done' | undefined,
): Promise<void> {
  if (event === 'add') await addTodo(tx, { userId, noteableId })
  if (event === 'done') await markTargetAsDone(tx, userId, noteableId)
}
