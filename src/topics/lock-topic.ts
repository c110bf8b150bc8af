import type { Selectable } from 'kysely'
import type { Topics } from '#db/schema.ts'
import type { Tx } from '#db/transaction.ts'
import { notFound } from '#http/errors.ts'

/**
 * Locks a topic until the transaction ends.
 * @throws 404 `Topic Not Found`
 */
export async function lockTopic(tx: Tx, id: number): Promise<Selectable<Topics>> {
  const topic = await tx.db
    .selectFrom('topics')
    .selectAll()
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst()
  if (topic === undefined) throw notFound('Topic')
  return topic
}
