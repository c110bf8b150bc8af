import { isDraft } from './draft.ts'
import type { MergeRequestRow } from './queries.ts'

/** What `detailed_merge_status` goes by, besides what other features add to it. */
type Checked = Pick<MergeRequestRow, 'state' | 'title' | 'merge_status' | 'merge_after'>

/** Why a merge request cannot be merged now, in the word of the API; `mergeable` when it can. */
export function detailedMergeStatus(
  { state, title, merge_status, merge_after }: Checked,
  now: number,
): string {
  if (state !== 'opened') return 'not_open'
  if (merge_status === 'unchecked' || merge_status === 'cannot_be_merged_recheck') return 'unchecked'
  if (merge_status === 'checking') return 'checking'
  if (isDraft(title)) return 'draft_status'
  if (merge_status === 'cannot_be_merged') return 'conflict'
  if (merge_after !== null && Date.parse(merge_after) > now) return 'merge_time'
  return 'mergeable'
}
