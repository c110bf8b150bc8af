import type { FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import { type AuthorizedProject, authorizeProject } from '#platform/access/authorize.ts'
import { refusal } from '#platform/refusals.ts'
import type { Caller, WritingCaller } from '#planning/noteables/containers.ts'
import { type ItemPlace, wholeText } from '#planning/noteables/items/item-text.ts'
import { type ItemOpening, openAskedItem } from '#planning/noteables/items/open-item.ts'
import { SubmittedDescription } from '#planning/quick-actions/submitted-description.ts'
import { withNewNames, comparisonOf, sameBranches } from './asked.ts'
import type { Branches } from './branches.ts'
import type { MergeRequestChangeRequest } from './changes.ts'
import { createMergeRequest, type NewMergeRequest } from './create-merge-request.ts'
import type { MergeRequestSingle } from './entity.ts'
import { keepClosings } from './issues/closings.ts'
import { closedByCommits, keepCommitClosings } from './issues/commit-closings.ts'
import { mergeRequestNoteable } from './noteable.ts'
import type { NewMergeRequest as NewMergeRequestBody } from './parameters.ts'
import { permitted } from './policy.ts'
import { presentSingleMergeRequest } from './present.ts'
import { mergeRequestAudience } from './present-one.ts'
import { findMergeRequest, type SingleMergeRequestRow } from './queries.ts'
import { actionsWith, mergeRequestQuickActions } from './quick-actions.ts'
import { resolveMergeRequestChanges } from './resolve-changes.ts'
import { firstTarget } from './target-action.ts'

/** The project that gets the changes, and who writes there. */
export interface MergeRequestPlace extends ItemPlace {
  readonly caller: Caller
  readonly container: AuthorizedProject['container']
  readonly authorized: AuthorizedProject
}

/** What git found before the transaction. */
interface Found extends Pick<NewMergeRequest, 'branches' | 'comparison'> {
  /** The ids of the issues that the commits close. */
  readonly closed: readonly number[]
}

const openingMergeRequests: ItemOpening<
  MergeRequestPlace,
  MergeRequestChangeRequest & Pick<NewMergeRequest, 'title'> & Found,
  NewMergeRequest & Found,
  { readonly id: number; readonly iid: number },
  SingleMergeRequestRow
> = {
  kind: mergeRequestNoteable,
  async resolve(tx, { authorized }, { title, branches, comparison, closed, ...asked }) {
    const changes = await resolveMergeRequestChanges(tx, authorized, asked)
    return { ...changes, title, branches, comparison, closed }
  },
  insert: (tx, { container }, mergeRequest) => createMergeRequest(tx, container, mergeRequest),
  async follow(tx, { caller, container }, { id }, { closed, ...values }) {
    await keepClosings(tx, caller, container, id, wholeText(values))
    if (closed.length > 0) await keepCommitClosings(tx, [{ merge_request_id: id, issue_ids: closed }])
  },
  keyOf: ({ iid }) => iid,
  find: (on, { caller, authorized }, key) => findMergeRequest(on, caller.viewer, authorized, Number(key)),
}

/**
 * Opens the merge request that a request asks for. The project in the path has the source branch.
 * @throws 400 where a branch does not exist, 404, 409 when an open one has the same branches, 422 for one and the same branch
 */
export async function openMergeRequest(
  req: FastifyRequest,
  asked: Static<typeof NewMergeRequestBody>,
): Promise<Static<typeof MergeRequestSingle>> {
  const { row, authorized } = await openMergeRequestAs(req, asked)
  const canMerge = authorized.can('push_code')
  // Its own pipeline is made after it.
  return presentSingleMergeRequest(row, mergeRequestAudience(req), { canMerge, pipeline: null })
}

/** The same for whoever writes, by a request or with a push. @returns it with what they may do in its project */
export async function openMergeRequestAs(
  req: WritingCaller,
  { source_branch, target_branch, target_project_id, ...given }: Static<typeof NewMergeRequestBody>,
): Promise<{ readonly row: SingleMergeRequestRow; readonly authorized: AuthorizedProject }> {
  const { container: source } = req.project()
  const id = String(target_project_id ?? source.id)
  const authorized = await authorizeProject(req.server.db, req.viewer, id, 'create_merge_request')
  const { container } = authorized
  await assertRelated(req, source.id, container.id)
  const branches: Branches = {
    source: { project: source.id, branch: source_branch },
    target: { project: container.id, branch: target_branch },
  }
  if (source.id === container.id && source_branch === target_branch) throw sameBranches()
  const comparison = await comparisonOf(req, branches)
  const { viewer, site, server } = req
  const caller = { viewer, site, server, project: () => authorized, group: () => req.group() }
  const closed = await closedByCommits(caller, comparison)
  const { commands } = new SubmittedDescription(given.description, mergeRequestQuickActions)
  const actions = actionsWith(await firstTarget(caller, branches, commands))
  const asked = {
    ...permitted(authorized, withNewNames(given)),
    title: given.title,
    branches,
    comparison,
    closed,
  }
  const place = { caller, container, authorized }
  return { row: await openAskedItem(req, openingMergeRequests, place, asked, actions), authorized }
}

/** @throws 400 when neither project is a fork of the other, nor both of a third one */
async function assertRelated(req: Pick<Caller, 'server'>, source: number, target: number): Promise<void> {
  if (source === target) return
  const rows = await req.server.db
    .selectFrom('project_forks')
    .select(['project_id', 'source_id'])
    .where((where) => where.or([where('project_id', '=', source), where('project_id', '=', target)]))
    .execute()
  const origins = (id: number) => [
    id,
    ...rows.filter((row) => row.project_id === id).map((row) => row.source_id),
  ]
  if (!origins(source).some((id) => origins(target).includes(id)))
    throw refusal('The source project is not a fork of the target project')
}
