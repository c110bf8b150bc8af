import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { removeLater } from '#planning/noteables/remove-later.ts'
import { aboutMergeRequest } from './facts-about.ts'
import type { MergeRequestRow } from './queries.ts'
import { mergeRequestIdentity } from './identity.ts'

/** Deletes a merge request. From now on nobody sees it, and a job removes it with everything that belongs to it. */
export async function deleteMergeRequest(tx: Tx, mergeRequest: MergeRequestRow): Promise<void> {
  const { id, iid, title } = mergeRequest
  await removeLater(tx, mergeRequestIdentity, id)
  record(tx, { ...aboutMergeRequest(mergeRequest), name: 'merge request deleted', details: { iid, title } })
}
