import type { Lease } from '#platform/jobs/lease.ts'
import type { JobContext } from '#platform/jobs/task.ts'
import { enqueue } from '#platform/jobs/enqueue.ts'
import { unavailable } from '#platform/refusals.ts'
import { maintainRepository } from '#code/repositories/maintain.ts'
import { cleanUpMove } from './clean-up-move.ts'
import { copiesOf } from './start-move.ts'
import { lockMove, setState } from './rows.ts'

/**
 * Makes the copies of a move the repositories, all at once. From here on they are written to, and the folders where they
 * were are left for those who began to read before.
 * @returns false when the move went with its owner meanwhile
 */
export async function switchOver(id: number, job: JobContext, lease: Lease): Promise<boolean> {
  const retention = job.repositories.settings().repository_storage_moves_source_retention
  const late = { runAt: new Date(job.clock.now().getTime() + retention * 1000).toISOString() }
  return job.transact(async (tx) => {
    await lease.guard(tx)
    if ((await lockMove(tx, id)) === undefined) return false
    for (const copy of await copiesOf(tx.db, id)) {
      const moved = await tx.db
        .updateTable('repositories')
        .set((eb) => ({
          storage: copy.destination_storage,
          relative_path: copy.destination_path,
          read_only_because: null,
          version: eb('version', '+', 1),
        }))
        .where('id', '=', copy.repository_id)
        .where('storage', '=', copy.source_storage)
        .where('relative_path', '=', copy.source_path)
        .returning('id')
        .executeTakeFirst()
      // It was deleted with its owner; housekeeping removes the copy.
      if (moved === undefined) continue
      const changing = await tx.db
        .selectFrom('reference_changes')
        .select('id')
        .where('repository_id', '=', moved.id)
        .where('state', '=', 'pending')
        .executeTakeFirst()
      if (changing !== undefined) throw unavailable(`repository ${moved.id} was changed while it moved`)
      await tx.db
        .updateTable('repository_storage_copies')
        .set({ switched_at: tx.now })
        .where('id', '=', copy.id)
        .execute()
      // It came as one pack without bitmaps.
      await enqueue(tx, maintainRepository, { repository_id: moved.id })
    }
    await setState(tx, id, 'replicated')
    await enqueue(tx, cleanUpMove, { move_id: id }, retention > 0 ? late : {})
    return true
  })
}
