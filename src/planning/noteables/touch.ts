import { sql } from 'kysely'
import { type Params, statement } from '#platform/db/statement.ts'
import type { Tx } from '#platform/db/transaction.ts'

/**
 * Says that a noteable, which is locked, has changed. Whoever changes one in its own table calls this.
 * @param at the time of the change, from callers who may set it.
 */
export async function touch(tx: Tx, id: number, at = tx.now): Promise<void> {
  await touching(tx.db, { id, at })
}

const touching = statement({
  name: 'touch noteable',
  build: (_, param: Params<{ id: number; at: string }>) =>
    sql`update noteables set updated_at = ${param('at')} where id = ${param('id')}`,
  deferred: true,
})
