import type { AuthorizedProject } from '#platform/access/authorize.ts'
import type { Viewer } from '#platform/access/viewer.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { badRequest } from '#platform/refusals.ts'
import { nextIid } from '#identity/namespaces/next-iid.ts'
import { record } from '#platform/facts/record.ts'
import { touch } from '#planning/noteables/touch.ts'
import { copyUploads } from '#planning/uploads/copy-uploads.ts'
import { aboutIssue, naming } from '../facts-about.ts'
import { lockIssue } from '../lock-issue.ts'
import { type Columns, type Copy, copyIssue, copyLabels, copyPeople, ofOriginal } from './copy-issue.ts'
import { copyNotes } from './copy-notes.ts'
import { lockCarried } from './at-target.ts'
import { takeAlong } from './take-along.ts'

/** A moved issue keeps its state and its author. */
const kept: Columns = {
  author_id: ofOriginal('author_id'),
  state: ofOriginal('state'),
  closed_at: ofOriginal('closed_at'),
  closed_by_id: ofOriginal('closed_by_id'),
  total_time_spent: ofOriginal('total_time_spent'),
  upvotes: ofOriginal('upvotes'),
  downvotes: ofOriginal('downvotes'),
  created_at: ofOriginal('created_at'),
  user_agent: ofOriginal('user_agent'),
  ip: ofOriginal('ip'),
}

/**
 * Moves an issue into another project with everything that belongs to it. It gets labels and a milestone of the same
 * names, where they exist. The original is closed and points to the new issue. References in texts are not rewritten; the uploads that they name are there, too.
 * @throws 404, 400 when it is in that project or was moved before.
 */
export async function moveIssue(
  tx: Tx,
  viewer: Viewer,
  here: AuthorizedProject,
  iid: number,
  { container: there }: AuthorizedProject,
): Promise<Copy> {
  await lockCarried(tx, there, here.container.id, iid)
  const issue = await lockIssue(tx, viewer, here, iid)
  if (there.id === issue.project_id) throw badRequest('the issue is in this project already')
  if (issue.moved_to_id !== null) throw badRequest('the issue was moved before')
  const number = await nextIid(tx, there.namespace_id, 'issue')
  const copy = await copyIssue(tx, issue.id, there, number, kept, true)
  await copyPeople(tx, issue.id, copy.id, there)
  await copyLabels(tx, issue.id, copy.id, there)
  await copyNotes(tx, issue.id, copy.id, there)
  await takeAlong(tx, issue.id, copy.id, there)
  await copyUploads(tx, { issueId: copy.id, from: here.container.namespace_id, to: there.namespace_id })
  await leaveClosed(tx, issue, copy.id)
  record(
    tx,
    { ...aboutIssue(issue), name: 'issue moved', details: naming(copy, issue) },
    ...(issue.state === 'opened'
      ? [{ ...aboutIssue(issue), name: 'issue closed' as const, details: { moved: true as const } }]
      : []),
    { ...aboutIssue(copy), name: 'issue created', details: { iid: number, title: issue.title, moved: true } },
    { ...aboutIssue(copy), name: 'issue moved here', details: naming(issue, copy) },
  )
  return copy
}

async function leaveClosed(
  tx: Tx,
  { id, state }: { readonly id: number; readonly state: 'opened' | 'closed' },
  movedTo: number,
): Promise<void> {
  await tx.db
    .updateTable('issues')
    .set({ moved_to_id: movedTo })
    .$if(state === 'opened', (q) =>
      q.set({ state: 'closed', closed_at: tx.now, closed_by_id: tx.author?.id ?? null }),
    )
    .where('id', '=', id)
    .execute()
  await touch(tx, id)
}
