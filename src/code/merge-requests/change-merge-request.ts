import type { FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import { assertUnmodified } from '#platform/http/preconditions.ts'
import { refusal } from '#platform/refusals.ts'
import type { WritingCaller } from '#planning/noteables/containers.ts'
import { changeAskedItem, type ItemChanging } from '#planning/noteables/items/change-item.ts'
import { SubmittedDescription } from '#planning/quick-actions/submitted-description.ts'
import { withNewNames, comparisonOf, sameBranches } from './asked.ts'
import type { Comparison } from './branches.ts'
import type { MergeRequestChangeRequest, MergeRequestChanges } from './changes.ts'
import { keepClosings } from './issues/closings.ts'
import { closedByCommits, keepCommitClosings } from './issues/commit-closings.ts'
import { mergeRequestNoteable } from './noteable.ts'
import type { MergeRequestPlace } from './open-merge-request.ts'
import type { MergeRequestChanges as MergeRequestChangesBody } from './parameters.ts'
import { assertMayChangeMergeRequest, permitted } from './policy.ts'
import {
  findMergeRequest,
  lockMergeRequest,
  type MergeRequestRow,
  type SingleMergeRequestRow,
} from './queries.ts'
import { actionsWith, mergeRequestQuickActions } from './quick-actions.ts'
import { resolveMergeRequestChanges } from './resolve-changes.ts'
import { newTarget } from './target-action.ts'
import { updateMergeRequest } from './update-merge-request.ts'

/** What git found before the transaction, where the branches change. */
interface Found {
  readonly comparison: Comparison | undefined
  /** The ids of the issues that the commits close. */
  readonly closed: readonly number[] | undefined
}

interface ChangedPlace extends MergeRequestPlace {
  readonly caller: WritingCaller
}

const changingMergeRequests: ItemChanging<
  ChangedPlace,
  MergeRequestChangeRequest & Found,
  MergeRequestChanges & Found,
  SingleMergeRequestRow
> = {
  kind: mergeRequestNoteable,
  async resolve(tx, { authorized }, { comparison, closed, ...asked }) {
    return { ...(await resolveMergeRequestChanges(tx, authorized, asked)), comparison, closed }
  },
  find: (on, { caller, authorized }, key) => findMergeRequest(on, caller.viewer, authorized, Number(key)),
  lock: (tx, { caller, authorized }, key) => lockMergeRequest(tx, caller.viewer, authorized, Number(key)),
  assertMayChange: ({ caller, authorized }, row) =>
    assertMayChangeMergeRequest(authorized, row, caller.user()),
  async update(tx, _place, row, { comparison, closed, ...changes }) {
    const changed = await updateMergeRequest(tx, row, changes, comparison)
    if (closed !== undefined) await keepCommitClosings(tx, [{ merge_request_id: row.id, issue_ids: closed }])
    return changed
  },
  followText: (tx, { caller, container }, { id }, text) => keepClosings(tx, caller, container, id, text),
  keyOf: ({ iid }) => iid,
}

/**
 * Changes a merge request as a request asks for.
 * @throws 404, 403 for somebody who may change nothing of it, 400 where a branch does not exist, 409 when an open one has the
 * same branches, 412, 422 for one and the same branch
 */
export const changeMergeRequest = (
  req: FastifyRequest,
  iid: number,
  given: Static<typeof MergeRequestChangesBody>,
): Promise<SingleMergeRequestRow> =>
  changeMergeRequestAs(req, iid, given, ({ updated_at }) => assertUnmodified(req, updated_at))

/**
 * The same for whoever writes, by a request or with a push.
 * @param assertFresh refuses a merge request, which is locked, that is not as the caller has seen it
 */
export async function changeMergeRequestAs(
  req: WritingCaller,
  iid: number,
  given: Static<typeof MergeRequestChangesBody>,
  assertFresh?: (row: SingleMergeRequestRow) => void,
): Promise<SingleMergeRequestRow> {
  const authorized = req.project()
  const asked = permitted(authorized, withNewNames(given))
  const comparison = await comparisonAfter(req, iid, asked)
  const closed = comparison && (await closedByCommits(req, comparison))
  const { commands } = new SubmittedDescription(given.description, mergeRequestQuickActions)
  const actions = actionsWith(await newTarget(req, iid, commands))
  const place = { caller: req, container: authorized.container, authorized }
  const options = { actions, ...(assertFresh && { assertFresh }) }
  return changeAskedItem(req, changingMergeRequests, place, iid, { ...asked, comparison, closed }, options)
}

/** Compares the branches anew where the target changes or a closed merge request opens again; git is asked before the transaction. */
async function comparisonAfter(
  req: WritingCaller,
  iid: number,
  { target_branch, state_event }: MergeRequestChangeRequest,
): Promise<Comparison | undefined> {
  if (target_branch === undefined && state_event !== 'reopen') return undefined
  const before = await findMergeRequest(req.server.db, req.viewer, req.project(), iid)
  // What git finds is not for those who may change nothing.
  assertMayChangeMergeRequest(req.project(), before, req.user())
  if (!comparesAnew(before, target_branch, state_event)) return undefined
  const { source_project_id: project, source_branch: branch } = before
  if (project === null) throw refusal('The source project was deleted')
  const target = { project: before.project_id, branch: target_branch ?? before.target_branch }
  if (project === target.project && branch === target.branch) throw sameBranches()
  return comparisonOf(req, { source: { project, branch }, target })
}

function comparesAnew(
  { state, target_branch }: MergeRequestRow,
  wanted: string | undefined,
  event: MergeRequestChangeRequest['state_event'],
): boolean {
  if (state === 'merged') return false
  return (event === 'reopen' && state === 'closed') || (wanted !== undefined && wanted !== target_branch)
}
