import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import { authorizeProject } from '#platform/access/authorize.ts'
import { project, reads, writes } from '#platform/access/route-access.ts'
import { refusal, Unprocessable } from '#platform/refusals.ts'
import { assertUnmodified } from '#platform/http/preconditions.ts'
import { ById, NoContent } from '#platform/http/schema.ts'
import { knownTexts } from '#platform/known-texts.ts'
import { lockMentioned, recordMentions } from '#planning/noteables/record-mentions.ts'
import { SubmittedDescription } from '#planning/quick-actions/submitted-description.ts'
import { type Branches, compareBranches, type Comparison } from './branches.ts'
import type { AskedMergeRequestChanges } from './changes.ts'
import { createMergeRequest } from './create-merge-request.ts'
import { deleteMergeRequest } from './delete-merge-request.ts'
import { MergeRequestSingle } from './entity.ts'
import { mentioningMergeRequest } from './facts-about.ts'
import { recheck } from './merge/recheck.ts'
import { extrasOf, SingleOptions } from './merge/single-options.ts'
import { keepClosings } from './issues/closings.ts'
import { closedByCommits, keepCommitClosings } from './issues/commit-closings.ts'
import { ByMergeRequest, MergeRequestChanges, NewMergeRequest } from './parameters.ts'
import { assertMayChange, permitted } from './policy.ts'
import { presentSingleMergeRequest } from './present.ts'
import { mergeRequestAudience, presentOne } from './present-one.ts'
import {
  findMergeRequest,
  lockMergeRequest,
  type MergeRequestRow,
  type SingleMergeRequestRow,
} from './queries.ts'
import { actionsWith, mergeRequestQuickActions } from './quick-actions.ts'
import { resolveMergeRequestChanges } from './resolve-changes.ts'
import { firstTarget, newTarget } from './target-action.ts'
import { updateMergeRequest } from './update-merge-request.ts'

/** Routes for single merge requests of a project. */
export const mergeRequestRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/projects/:id/merge_requests/:merge_request_iid',
    {
      config: reads(project('read_merge_request'), { anonymous: true }),
      schema: {
        summary: 'Get a merge request',
        description:
          'Asks for a check whether it can be merged, if its branches have changed since the last one.',
        params: ByMergeRequest,
        querystring: SingleOptions,
        response: { 200: MergeRequestSingle },
      },
    },
    async (req) => {
      const { merge_request_iid } = req.params
      const found = await findMergeRequest(app.db, req.viewer, req.project(), merge_request_iid)
      const [row = found] = await recheck(app.services, [found])
      return { ...(await presentOne(req, row)), ...(await extrasOf(req, row, req.query)) }
    },
  )

  app.post(
    '/projects/:id/merge_requests',
    {
      config: writes(project('push_code')),
      schema: {
        summary: 'Open a merge request',
        description:
          'The project in the path has the source branch. Only members of the target project from Developer on can set ' +
          'labels, assignees, reviewers and the milestone; from others, the server ignores them.',
        params: ById,
        body: NewMergeRequest,
        refuses: [409, 422],
        response: { 201: MergeRequestSingle },
      },
    },
    async (req, reply) => reply.code(201).send(await open(req, req.body)),
  )

  app.put(
    '/projects/:id/merge_requests/:merge_request_iid',
    {
      config: writes(project('edit_merge_request')),
      schema: {
        summary: 'Change a merge request',
        description:
          'The author and the assignees may change the title, description and branches, close and reopen. Everything else ' +
          'needs the role Developer; from others, the server ignores it.',
        params: ByMergeRequest,
        body: MergeRequestChanges,
        refuses: [409, 412, 422],
        response: { 200: MergeRequestSingle },
      },
    },
    async (req) => presentOne(req, await change(req, req.params.merge_request_iid, req.body)),
  )

  app.delete(
    '/projects/:id/merge_requests/:merge_request_iid',
    {
      config: writes(project('delete_merge_request')),
      schema: {
        summary: 'Delete a merge request',
        params: ByMergeRequest,
        refuses: [412],
        response: { 204: NoContent },
      },
    },
    async (req, reply) => {
      await req.write(async (tx) => {
        const { viewer, params } = req
        const found = await lockMergeRequest(tx, viewer, req.project(), params.merge_request_iid, 'deletion')
        assertUnmodified(req, found.updated_at)
        await deleteMergeRequest(tx, found)
      })
      return reply.code(204).send()
    },
  )
}

async function open(
  req: FastifyRequest,
  { source_branch, target_branch, target_project_id, ...given }: Static<typeof NewMergeRequest>,
): Promise<Static<typeof MergeRequestSingle>> {
  const { container: source } = req.project()
  const id = String(target_project_id ?? source.id)
  const target = await authorizeProject(req.server.db, req.viewer, id, 'create_merge_request')
  await assertRelated(req, source.id, target.container.id)
  const branches: Branches = {
    source: { project: source.id, branch: source_branch },
    target: { project: target.container.id, branch: target_branch },
  }
  if (source.id === target.container.id && source_branch === target_branch) throw sameBranches()
  const comparison = await comparisonOf(req, branches)
  const asked = permitted(target, askedOf(given))
  const { commands } = new SubmittedDescription(given.description, mergeRequestQuickActions)
  const { viewer, site, server } = req
  const caller = { viewer, site, server, project: () => target, group: () => req.group() }
  const closed = await closedByCommits(caller, comparison)
  const first = await firstTarget(caller, branches, commands)
  const submitted = new SubmittedDescription(given.description, actionsWith(first))
  const row = await req.write(async (tx) => {
    await submitted.lockNamed(tx, caller)
    const {
      state_event: _,
      target_branch: __,
      ...changes
    } = await resolveMergeRequestChanges(tx, target, submitted.textIn(asked))
    const text = `${given.title}\n\n${changes.description ?? ''}`
    await lockMentioned(tx, req, target.container, text)
    const made = await createMergeRequest(tx, target.container, {
      ...changes,
      title: given.title,
      branches,
      comparison,
    })
    const noteable = mentioningMergeRequest(made)
    await recordMentions(tx, req, { noteable, namespace: target.container, noteId: null }, text)
    await keepClosings(tx, req, target.container, made.id, text)
    if (closed.length > 0) await keepCommitClosings(tx, [{ merge_request_id: made.id, issue_ids: closed }])
    await submitted.obey(tx, caller, made.iid)
    return findMergeRequest(tx.db, req.viewer, target, made.iid)
  })
  return presentSingleMergeRequest(row, mergeRequestAudience(req), target.can('push_code'))
}

/** What a request asks for, with the new names of parameters that have older ones. */
function askedOf({
  allow_maintainer_to_push,
  approvals_before_merge,
  ...given
}: Static<typeof MergeRequestChanges>): AskedMergeRequestChanges {
  return {
    ...given,
    ...(allow_maintainer_to_push === undefined ? {} : { allow_collaboration: allow_maintainer_to_push }),
    ...(approvals_before_merge === undefined ? {} : { approvals_required: approvals_before_merge }),
  }
}

const sameBranches = () => new Unprocessable([knownTexts['same-branch']], { code: 'same-branch' })

/** @throws 400 when neither project is a fork of the other, nor both of a third one */
async function assertRelated(req: FastifyRequest, source: number, target: number): Promise<void> {
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

/** @throws 400 when a branch does not exist */
async function comparisonOf(req: FastifyRequest, branches: Branches): Promise<Comparison> {
  const found = await compareBranches(req.server.services.repositories, branches)
  if (found === 'no source') throw refusal(`Source branch "${branches.source.branch}" does not exist`)
  if (found === 'no target') throw refusal(`Target branch "${branches.target.branch}" does not exist`)
  return found
}

async function change(
  req: FastifyRequest,
  iid: number,
  given: Static<typeof MergeRequestChanges>,
): Promise<SingleMergeRequestRow> {
  const authorized = req.project()
  const asked = permitted(authorized, askedOf(given))
  const comparison = await comparisonAfter(req, iid, asked)
  const closed = comparison && (await closedByCommits(req, comparison))
  const { commands } = new SubmittedDescription(given.description, mergeRequestQuickActions)
  const target = await newTarget(req, iid, commands)
  const submitted = new SubmittedDescription(given.description, actionsWith(target))
  return req.write(async (tx) => {
    await submitted.lockNamed(tx, req, iid)
    const resolved = await resolveMergeRequestChanges(tx, authorized, asked)
    const { container } = authorized
    await lockMentioned(tx, req, container, `${asked.title ?? ''}\n\n${asked.description ?? ''}`)
    const locked = await lockMergeRequest(tx, req.viewer, authorized, iid)
    assertMayChange(authorized, locked, req.user())
    assertUnmodified(req, locked.updated_at)
    const asBefore = submitted.isThatOf(locked)
    const changes = asBefore ? resolved : submitted.textIn(resolved)
    const changed = await updateMergeRequest(tx, locked, changes, comparison)
    if (closed !== undefined)
      await keepCommitClosings(tx, [{ merge_request_id: locked.id, issue_ids: closed }])
    if (changes.title !== undefined || changes.description !== undefined) {
      const { title = locked.title, description = locked.description } = changes
      const source = {
        noteable: mentioningMergeRequest(locked),
        namespace: container,
        noteId: null,
        changed: true,
      }
      const text = `${title}\n\n${description ?? ''}`
      await recordMentions(tx, req, source, text)
      await keepClosings(tx, req, container, locked.id, text)
    }
    const obeyed = !asBefore && (await submitted.obey(tx, req, iid))
    return changed || obeyed ? findMergeRequest(tx.db, req.viewer, authorized, iid) : locked
  })
}

/** Compares the branches anew where the target changes or a closed merge request opens again; git is asked before the transaction. */
async function comparisonAfter(
  req: FastifyRequest,
  iid: number,
  { target_branch, state_event }: AskedMergeRequestChanges,
): Promise<Comparison | undefined> {
  if (target_branch === undefined && state_event !== 'reopen') return undefined
  const before = await findMergeRequest(req.server.db, req.viewer, req.project(), iid)
  // What git finds is not for those who may change nothing.
  assertMayChange(req.project(), before, req.user())
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
  event: AskedMergeRequestChanges['state_event'],
): boolean {
  if (state === 'merged') return false
  return (event === 'reopen' && state === 'closed') || (wanted !== undefined && wanted !== target_branch)
}
