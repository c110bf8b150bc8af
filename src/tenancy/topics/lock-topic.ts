import type { Tx } from '#platform/db/transaction.ts'
import { notFound } from '#platform/refusals.ts'
import { type StoredTopic, topicColumns } from './queries.ts'

/**
 * Locks a topic until the transaction ends.
 * @throws 404 `Topic Not Found`
 */
export async function lockTopic(tx: Tx, id: number): Promise<StoredTopic> {
  return tx.db
    .selectFrom('topics as t')
    .select(topicColumns)
    .where('t.id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow(() => notFound('Topic'))
}
