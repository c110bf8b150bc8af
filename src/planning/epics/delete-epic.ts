import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { removeLater } from '#planning/noteables/remove-later.ts'
import { aboutEpic } from './facts-about.ts'
import type { EpicRow } from './queries.ts'
import { refreshDates } from './refresh-dates.ts'
import { epicIdentity } from './identity.ts'

/**
 * Deletes an epic. From now on nobody sees it, its issues and child epics are free, and a job removes it with everything that
 * belongs to it, which may be a lot. Its number is not used again.
 * @param epic is locked, and so is its tree.
 */
export async function deleteEpic(tx: Tx, epic: EpicRow): Promise<void> {
  const { id, iid, title, own_parent_id } = epic
  await tx.db.deleteFrom('epic_issues').where('epic_id', '=', id).execute()
  await tx.db.updateTable('epics').set({ parent_id: null }).where('parent_id', '=', id).execute()
  await tx.db.updateTable('epics').set({ parent_id: null }).where('id', '=', id).execute()
  await removeLater(tx, epicIdentity, id)
  if (own_parent_id !== null) await refreshDates(tx, [own_parent_id])
  record(tx, { ...aboutEpic(epic), name: 'epic deleted', details: { iid, title } })
}
