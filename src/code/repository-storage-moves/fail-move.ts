import { record } from '#platform/facts/record.ts'
import type { Lease } from '#platform/jobs/lease.ts'
import type { JobContext } from '#platform/jobs/task.ts'
import { Refusal } from '#platform/refusals.ts'
import { removeSecondFolder, secondFolders } from '#code/repositories/second-folders.ts'
import { aboutMove } from './facts.ts'
import { findOwner } from './find-owner.ts'
import { ownerOfRow } from './owners.ts'
import { lockMove, setState } from './rows.ts'
import { copiesOf, MOVING } from './start-move.ts'

/** Gives a move up: its repositories are writable again where they are, and what was copied is removed. */
export async function failMove(id: number, job: JobContext, lease: Lease, error: unknown): Promise<void> {
  const because = reasonOf(error)
  job.log.error({ err: error, move: id }, 'a storage move has failed')
  await job.transact(async (tx) => {
    await lease.guard(tx)
    const move = await lockMove(tx, id)
    for (const { repository_id } of await copiesOf(tx.db, id)) {
      await tx.db
        .updateTable('repositories')
        .set({ read_only_because: null })
        .where('id', '=', repository_id)
        .where('read_only_because', '=', MOVING)
        .execute()
    }
    if (move === undefined) return
    await setState(tx, id, 'failed', because)
    const owner = await findOwner(tx.db, ownerOfRow(move))
    if (owner === undefined) return
    const { source_storage_name: from, destination_storage_name: to } = move
    const details = { name: owner.name, from, to, because: because.slice(0, 255).toWellFormed() }
    record(tx, { name: 'repository storage move failed', ...aboutMove(owner), details })
  })
  await removeCopies(id, job)
}

/** What cannot be removed now is removed by housekeeping. */
async function removeCopies(id: number, job: JobContext): Promise<void> {
  const repositories = job.repositories
  for (const folder of await secondFolders(repositories, { move: id })) {
    await removeSecondFolder(repositories, folder).catch((error: unknown) =>
      job.log.warn({ err: error, move: id }, 'what a storage move has copied could not be removed yet'),
    )
  }
}

export function reasonOf(error: unknown): string {
  const cause = error instanceof Refusal && error.cause !== undefined ? error.cause : error
  return cause instanceof Error ? cause.message : String(cause)
}
