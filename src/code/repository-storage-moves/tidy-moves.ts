import { sql } from 'kysely'
import { Type } from 'typebox'
import { type LeaseHolder, LeaseHeld, withLease } from '#platform/jobs/lease.ts'
import { enqueue } from '#platform/jobs/enqueue.ts'
import { defineTask, type JobContext } from '#platform/jobs/task.ts'
import { removeSecondFolder, secondFolders } from '#code/repositories/second-folders.ts'
import { cleanUpMove, finishMove } from './clean-up-move.ts'
import { runMove } from './run-move.ts'
import { leaseOf } from './rows.ts'

/**
 * Removes what moves have left that failed or whose owner was deleted, and wakes moves that nobody works on, as when their
 * job has come to an end without them.
 */
export const tidyMoves = defineTask(
  'repository-storage-moves/tidy',
  'long',
  Type.Object({}),
  async (_, job) => {
    await removeLeftovers(job)
    await finishLate(job)
    await wake(job)
  },
)

async function removeLeftovers(job: JobContext): Promise<void> {
  const repositories = job.repositories
  for (const folder of await secondFolders(repositories, 'no move')) {
    if (job.signal.aborted) return
    try {
      await alone(job, folder.move_id, () => removeSecondFolder(repositories, folder))
    } catch (error) {
      job.log.warn(
        { err: error, move: folder.move_id },
        'what a storage move has left could not be removed yet',
      )
    }
  }
}

/** What could not be removed after a move is gone now. */
async function finishLate(job: JobContext): Promise<void> {
  const rows = await job.db
    .selectFrom('repository_storage_moves as m')
    .select('m.id')
    .where('m.state', '=', 'cleanup failed')
    .where((eb) =>
      eb.not(
        eb.exists(
          eb.selectFrom('repository_storage_copies as c').select('c.id').whereRef('c.move_id', '=', 'm.id'),
        ),
      ),
    )
    .execute()
  for (const { id } of rows) await withLease(job, leaseOf(id), (lease) => finishMove(id, job, lease))
}

async function wake(job: JobContext): Promise<void> {
  const { rows } = await sql<{ id: number; state: string }>`
    select m.id, m.state from repository_storage_moves m
    where m.state in ('started', 'replicated') and m.updated_at < now() - interval '10 minutes'
      and not exists (select from leases l where l.name = 'repository storage move ' || m.id and l.until > now())
    order by m.id limit 100`.execute(job.db)
  for (const { id, state } of rows) {
    const task = state === 'started' ? runMove : cleanUpMove
    await job.transact((tx) => enqueue(tx, task, { move_id: id }))
  }
}

/** Does something with what a move has left, unless somebody still works on the move. */
async function alone(job: LeaseHolder, moveId: number, work: () => Promise<unknown>): Promise<void> {
  try {
    await withLease(job, leaseOf(moveId), work)
  } catch (error) {
    if (!(error instanceof LeaseHeld)) throw error
  }
}
