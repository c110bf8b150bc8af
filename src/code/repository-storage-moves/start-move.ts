import type { Db } from '#platform/db/pool.ts'
import type { Lease } from '#platform/jobs/lease.ts'
import type { JobContext } from '#platform/jobs/task.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { insertRepository, newPath } from '#code/repositories/make-repository.ts'
import { columnOf, mainRepositoryOf, ownerOfRow } from './owners.ts'
import { lockMove, setState } from './rows.ts'

/** A repository under way from one folder to another. */
export interface Copy {
  readonly id: number
  readonly move_id: number
  readonly repository_id: number
  readonly source_storage: string
  readonly source_path: string
  readonly destination_storage: string
  readonly destination_path: string
  readonly copied_at: string | null
}

/** What `read_only_because` says of a repository that moves. */
export const MOVING = 'storage move'

/** The repositories of a move that are not yet where they should be. */
export function copiesOf(db: Db | Tx['db'], moveId: number): Promise<Copy[]> {
  return db
    .selectFrom('repository_storage_copies')
    .select([
      'id',
      'move_id',
      'repository_id',
      'source_storage',
      'source_path',
      'destination_storage',
      'destination_path',
      'copied_at',
    ])
    .where('move_id', '=', moveId)
    .where('switched_at', 'is', null)
    .orderBy('repository_id')
    .execute()
}

/**
 * Makes the repositories of a move read-only, and names the folders that their copies will have.
 * @returns false when the move went with its owner meanwhile
 */
export function startMove(job: JobContext, lease: Lease, id: number): Promise<boolean> {
  return job.transact(async (tx) => {
    await lease.guard(tx)
    const move = await lockMove(tx, id)
    if (move === undefined) return false
    if (move.state === 'started') return true
    const owner = ownerOfRow(move)
    const destination = move.destination_storage_name
    // What was never written to gets its place there.
    await insertRepository(tx, mainRepositoryOf(owner), destination)
    const rows = await tx.db
      .selectFrom('repositories')
      .select(['id', 'storage', 'relative_path'])
      .where(columnOf[owner.kind], '=', owner.id)
      .where('storage', '<>', destination)
      .orderBy('id')
      .forNoKeyUpdate()
      .execute()
    for (const row of rows) {
      await tx.db
        .updateTable('repositories')
        .set({ read_only_because: MOVING })
        .where('id', '=', row.id)
        .execute()
      await tx.db
        .insertInto('repository_storage_copies')
        .values({
          move_id: id,
          repository_id: row.id,
          source_storage: row.storage,
          source_path: row.relative_path,
          destination_storage: destination,
          destination_path: newPath(`storage move ${id} of repository ${row.id}`, tx.random),
          created_at: tx.now,
        })
        .execute()
    }
    await setState(tx, id, 'started')
    return true
  })
}
