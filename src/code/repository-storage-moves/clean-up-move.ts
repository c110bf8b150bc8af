import { Type } from 'typebox'
import { record } from '#platform/facts/record.ts'
import { enqueue } from '#platform/jobs/enqueue.ts'
import { type Lease, LeaseLost, withLease } from '#platform/jobs/lease.ts'
import { defineTask, type JobContext, type Task } from '#platform/jobs/task.ts'
import { removeSecondFolder, secondFolders } from '#code/repositories/second-folders.ts'
import { aboutMove } from './facts.ts'
import { reasonOf } from './fail-move.ts'
import { findOwner } from './find-owner.ts'
import { ownerOfRow } from './owners.ts'
import { findMove, leaseOf, lockMove, setState } from './rows.ts'
import { reached } from './steps.ts'

const payload = Type.Object({ move_id: Type.Integer() })

/** Milliseconds until it is looked again whether somebody still reads an old folder. */
const AGAIN = 5_000

/** Removes the folders where the repositories of a move were, once nobody reads there any more. */
export const cleanUpMove: Task<typeof payload> = defineTask(
  'repository-storage-moves/clean-up',
  'long',
  payload,
  ({ move_id }, job) => withLease(job, leaseOf(move_id), (lease) => cleanUp(move_id, job, lease)),
)

async function cleanUp(id: number, job: JobContext, lease: Lease): Promise<void> {
  const move = await findMove(job.db, id)
  if (move?.state !== 'replicated') return
  try {
    if (!(await removeAll(id, job))) {
      const runAt = new Date(job.clock.now().getTime() + AGAIN).toISOString()
      await job.transact((tx) => enqueue(tx, cleanUpMove, { move_id: id }, { runAt }))
      return
    }
    await reached('removed', id)
    await finishMove(id, job, lease)
  } catch (error) {
    if (lease.signal.aborted || error instanceof LeaseLost) throw error
    job.log.error({ err: error, move: id }, 'the old folder of a storage move could not be removed')
    await job.transact(async (tx) => {
      await lease.guard(tx)
      await setState(tx, id, 'cleanup failed', reasonOf(error))
    })
  }
}

/** @returns whether nothing is left */
async function removeAll(id: number, job: JobContext): Promise<boolean> {
  const repositories = job.repositories
  let left = false
  for (const folder of await secondFolders(repositories, { move: id })) {
    if (!(await removeSecondFolder(repositories, folder))) left = true
  }
  return !left
}

/** Records that a move is over, and that nothing of it is left where it came from. */
export async function finishMove(id: number, job: JobContext, lease: Lease): Promise<void> {
  await job.transact(async (tx) => {
    await lease.guard(tx)
    const move = await lockMove(tx, id)
    if (move === undefined) return
    await setState(tx, id, 'finished')
    const owner = await findOwner(tx.db, ownerOfRow(move))
    if (owner === undefined) return
    const { source_storage_name: from, destination_storage_name: to } = move
    const details = { name: owner.name, from, to }
    record(tx, { name: 'repository storage move finished', ...aboutMove(owner), details })
  })
  job.log.info({ move: id }, 'a storage move has finished')
}
