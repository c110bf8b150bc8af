import type { Db } from '#platform/db/pool.ts'
import { MOVING } from './start-move.ts'

const RESTORED = 'The instance was restored from a backup that was made during the move. Start it again.'

/**
 * Ends the moves of a backup that were under way when it was made: their second folders are not in it. Every repository is
 * where its row says, and writable.
 * @param now when they end
 */
export async function abandonMoves(db: Db, now: string): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await tx.deleteFrom('repository_storage_copies').execute()
    await tx
      .updateTable('repositories')
      .set({ read_only_because: null })
      .where('read_only_because', '=', MOVING)
      .execute()
    await tx
      .updateTable('repository_storage_moves')
      .set({ state: 'failed', error: RESTORED, updated_at: now })
      .where('state', 'in', ['initial', 'scheduled', 'started'])
      .execute()
    await tx
      .updateTable('repository_storage_moves')
      .set({ state: 'finished', updated_at: now })
      .where('state', 'in', ['replicated', 'cleanup failed'])
      .execute()
  })
}
