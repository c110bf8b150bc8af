import { isAnyOf } from '#platform/db/any-of.ts'
import type { Tx } from '#platform/db/transaction.ts'

/** Says that merge requests, which are locked, have changed. */
export async function touchAll(tx: Tx, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  await tx.db.updateTable('noteables').set({ updated_at: tx.now }).where(isAnyOf('id', ids)).execute()
}
