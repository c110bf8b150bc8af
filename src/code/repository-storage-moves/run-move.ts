import { Type } from 'typebox'
import { type Lease, LeaseLost, withLease } from '#platform/jobs/lease.ts'
import { defineTask, type JobContext } from '#platform/jobs/task.ts'
import { copyRepository } from './copy-repository.ts'
import { failMove } from './fail-move.ts'
import { copiesOf, startMove } from './start-move.ts'
import { reached } from './steps.ts'
import { findMove, leaseOf } from './rows.ts'
import { switchOver } from './switch-over.ts'

/**
 * Moves the repositories of a project, group or snippet. What it has done is in rows, so that another process goes on when
 * this one dies.
 */
export const runMove = defineTask(
  'repository-storage-moves/run',
  'outside',
  Type.Object({ move_id: Type.Integer() }),
  ({ move_id }, job) => withLease(job, leaseOf(move_id), (lease) => move(move_id, job, lease)),
)

async function move(id: number, job: JobContext, lease: Lease): Promise<void> {
  const found = await findMove(job.db, id)
  if (found === undefined || !['initial', 'scheduled', 'started'].includes(found.state)) return
  const began = performance.now()
  try {
    // A process that does not know the storage, or whose disk is not there, leaves everything as it is.
    await job.repositories.storages.pathOf(found.destination_storage_name)
    if (!(await startMove(job, lease, id))) return
    await reached('started', id)
    job.log.info({ move: id, to: found.destination_storage_name }, 'a storage move has started')
    for (const copy of await copiesOf(job.db, id)) await copyRepository(copy, job, lease)
    if (!(await switchOver(id, job, lease))) return
  } catch (error) {
    if (lease.signal.aborted || error instanceof LeaseLost) throw error
    await failMove(id, job, lease, error)
    return
  }
  const seconds = Math.round((performance.now() - began) / 1000)
  job.log.info({ move: id, seconds }, 'a storage move has copied everything, and the copies are served')
  await reached('switched', id)
}
