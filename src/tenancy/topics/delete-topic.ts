import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'

/** Deletes a topic and removes it from its projects. */
export async function deleteTopic(
  tx: Tx,
  topic: { readonly id: number; readonly name: string },
): Promise<void> {
  await tx.db.deleteFrom('topics').where('id', '=', topic.id).execute()
  record(tx, {
    name: 'topic deleted',
    namespace: null,
    target: { type: 'Topic', id: topic.id },
    details: { topic: topic.name },
  })
}
