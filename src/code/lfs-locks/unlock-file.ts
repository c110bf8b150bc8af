import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { NotAllowed, NotFound } from '#platform/refusals.ts'
import type { LfsProject } from '#code/lfs/lfs-project.ts'
import { findLock, type LfsLock } from './queries.ts'

export interface Unlocking {
  readonly userId: number
  /** Whether the person means to remove a lock of somebody else. */
  readonly force: boolean
  /** Whether they may. */
  readonly mayForce: boolean
}

const gone = () => new NotFound('Lock not found')

/**
 * Removes a lock.
 * @returns the lock as it was
 * @throws 404 when there is none, 403 for a lock of somebody else unless a maintainer insists
 */
export async function unlockFile(
  tx: Tx,
  project: LfsProject,
  id: number,
  { userId, force, mayForce }: Unlocking,
): Promise<LfsLock> {
  const lock = await findLock(tx, project.id, id)
  if (lock === undefined) throw gone()
  const isOwn = lock.user_id === userId
  if (!isOwn && !force) throw new NotAllowed(`'${lock.path}' is locked by @${lock.username}`)
  if (!isOwn && !mayForce) throw new NotAllowed('You must have maintainer access to force delete a lock')
  const removed = await tx.db
    .deleteFrom('lfs_locks')
    .where('project_id', '=', project.id)
    .where('id', '=', lock.id)
    .returning('id')
    .executeTakeFirst()
  if (removed === undefined) throw gone()
  record(tx, {
    name: 'file unlocked',
    namespace: project.namespace_id,
    target: { type: 'LfsLock', id: lock.id },
    details: { path: lock.path, owner_id: lock.user_id, forced: !isOwn },
  })
  return lock
}
