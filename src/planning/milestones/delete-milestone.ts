import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import type { MilestoneRow } from './entity.ts'

/** Deletes a milestone and removes it from its issues. */
export async function deleteMilestone(
  tx: Tx,
  { id, namespace_id, title, iid, state, start_date, due_date }: MilestoneRow,
): Promise<void> {
  await tx.db.deleteFrom('milestones').where('id', '=', id).execute()
  record(tx, {
    name: 'milestone deleted',
    namespace: namespace_id,
    target: { type: 'Milestone', id },
    details: { title, iid, state, start_date, due_date },
  })
}
