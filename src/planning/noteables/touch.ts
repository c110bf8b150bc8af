import { sql } from 'kysely'
import { type Param, prepare } from '#platform/db/prepare.ts'
import type { Tx } from '#platform/db/transaction.ts'

/**
 * Says that a noteable, which is locked, has changed. Whoever changes one in its own table calls this.
 * @param at the time of the change, from callers who may set it.
 */
export async function touch(tx: Tx, id: number, at = tx.now): Promise<void> {
  await touching(tx.db, { id, at })
}

const touching = prepare(
  (db, param: Param<{ id: number; at: string }>) => {
    const query = sql<object>`update noteables set updated_at = ${param('at')} where id = ${param('id')}`
    return { compile: () => query.compile(db) }
  },
  { deferred: true },
)
