import type { Tx } from '#platform/db/transaction.ts'
import type { Fact } from '#platform/facts/fact.ts'
import { record } from '#platform/facts/record.ts'
import { refusal } from '#platform/refusals.ts'
import { checkTitle } from '#planning/noteables/items/check-title.ts'
import { closedBy, stateAfter } from '#planning/noteables/items/differences.ts'
import { touch } from '#planning/noteables/touch.ts'
import type { Comparison } from './branches.ts'
import type { MergeRequestChanges } from './changes.ts'
import { assertOnly, insertVersion } from './create-merge-request.ts'
import { aboutMergeRequest } from './facts-about.ts'
import { checkNow } from './merge/check-mergeability.ts'
import type { MergeRequestRow } from './queries.ts'
import { changeLabels, changePeople } from './relations.ts'

/** The columns that a change writes. */
const written = [
  'title',
  'description',
  'state',
  'target_branch',
  'milestone_id',
  'discussion_locked',
  'squash',
  'remove_source_branch',
  'allow_collaboration',
  'merge_after',
  'approvals_required',
] as const
type Next = Pick<MergeRequestRow, (typeof written)[number]>

/**
 * Applies the given changes that differ from the merge request, and records each; the rest stays.
 * @param comparison what the branches compare to, when the target branch changes or it is reopened.
 * @returns whether anything changed.
 * @throws 400 for an unacceptable title and for too many labels or people; 409 when an open one has the same branches.
 */
export async function updateMergeRequest(
  tx: Tx,
  mergeRequest: MergeRequestRow,
  changes: MergeRequestChanges,
  comparison?: Comparison,
): Promise<boolean> {
  const { title, state_event, ...rest } = changes
  const next: Next = {
    ...mergeRequest,
    ...rest,
    title: title === undefined ? mergeRequest.title : checkTitle(title),
    state: isOver(mergeRequest) ? mergeRequest.state : stateAfter(mergeRequest.state, state_event),
  }
  await assertOnlyAfter(tx, mergeRequest, next)
  const people = await changePeople(tx, mergeRequest, changes)
  const labels = await changeLabels(tx, mergeRequest, changes)
  const columns = differing(mergeRequest, next)
  const about = aboutMergeRequest(mergeRequest)
  const facts = factsOf(mergeRequest, next)
  if (people.assignees !== undefined)
    facts.push({ ...about, name: 'merge request assignees changed', details: people.assignees })
  if (people.reviewers !== undefined)
    facts.push({ ...about, name: 'merge request reviewers changed', details: people.reviewers })
  if (labels !== undefined) facts.push({ ...about, name: 'merge request labels changed', details: labels })
  if (facts.length === 0 && Object.keys(columns).length === 0) return false
  await writeColumns(tx, mergeRequest, columns, comparison)
  // What an automatic merge waits for may be gone now.
  if (mergeRequest.auto_merge !== null) await checkNow(tx, [mergeRequest])
  await touch(tx, mergeRequest.id)
  record(tx, ...facts)
  return true
}

/** Whether it can be neither closed nor opened any more. */
const isOver = ({ state }: MergeRequestRow): boolean => state === 'merged' || state === 'locked'

/** Neither reopening nor a new target may make two open ones of the same branches. */
async function assertOnlyAfter(tx: Tx, before: MergeRequestRow, next: Next): Promise<void> {
  const reopened = before.state === 'closed' && next.state === 'opened'
  if (before.state !== next.state && !reopened) return
  if (!reopened && before.target_branch === next.target_branch) return
  const { source_project_id: project, source_branch, project_id } = before
  if (project === null) throw refusal('The source project was deleted')
  const source = { project, branch: source_branch }
  await assertOnly(tx, { source, target: { project: project_id, branch: next.target_branch } })
}

function differing(mergeRequest: MergeRequestRow, next: Next): Partial<Next> {
  const changed = written.filter((name) => mergeRequest[name] !== next[name])
  return Object.fromEntries(changed.map((name) => [name, next[name]]))
}

async function writeColumns(
  tx: Tx,
  { id, head_sha, start_sha }: MergeRequestRow,
  columns: Partial<Next>,
  comparison: Comparison | undefined,
): Promise<void> {
  if (Object.keys(columns).length === 0 && comparison === undefined) return
  const moved = comparison?.head_sha !== head_sha || comparison.start_sha !== start_sha
  await tx.db
    .updateTable('merge_requests')
    .set({ ...columns, ...comparison, ...closedBy(tx, columns.state) })
    .$if(comparison !== undefined, (q) => q.set({ merge_status: 'unchecked' }))
    .where('id', '=', id)
    .execute()
  if (comparison !== undefined && moved) await insertVersion(tx, id, comparison)
}

/** The domain events of the change, in the order in which people read them. */
function factsOf(from: MergeRequestRow, to: Next): Fact[] {
  const about = aboutMergeRequest(from)
  const facts: Fact[] = []
  if (from.title !== to.title)
    facts.push({ ...about, name: 'merge request retitled', details: { from: from.title, to: to.title } })
  if (from.description !== to.description)
    facts.push({ ...about, name: 'merge request description changed', details: {} })
  if (from.target_branch !== to.target_branch) {
    const details = { from: from.target_branch, to: to.target_branch }
    facts.push({ ...about, name: 'merge request target branch changed', details })
  }
  if (from.milestone_id !== to.milestone_id) {
    const details = { from: from.milestone_id, to: to.milestone_id }
    facts.push({ ...about, name: 'merge request milestone changed', details })
  }
  if ((from.discussion_locked ?? false) !== (to.discussion_locked ?? false)) {
    const details = { locked: to.discussion_locked ?? false }
    facts.push({ ...about, name: 'merge request lock changed', details })
  }
  if (from.state !== to.state) {
    const name = to.state === 'closed' ? 'merge request closed' : 'merge request reopened'
    facts.push({ ...about, name, details: {} })
  }
  return facts
}
