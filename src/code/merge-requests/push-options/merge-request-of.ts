import { sql } from 'kysely'
import { Check } from 'typebox/schema'
import type { AuthorizedProject } from '#platform/access/authorize.ts'
import { defined } from '#platform/defined.ts'
import { NotAllowed, refusal } from '#platform/refusals.ts'
import { completed, type StoredSettings } from '#tenancy/projects/project-settings.ts'
import { changeMergeRequestAs } from '../change-merge-request.ts'
import { asDraft } from '../draft.ts'
import { mayMergeInto } from '../merge/merge-actor.ts'
import { mergeLater } from '../merge/merge-later.ts'
import { MergeRequestChanges, NewMergeRequest } from '../parameters.ts'
import { openMergeRequestAs } from '../open-merge-request.ts'
import { findMergeRequest, type SingleMergeRequestRow } from '../queries.ts'
import { assigneesAfter, milestoneNamed } from './named-in-options.ts'
import { firstText } from './first-text.ts'
import type { PushedBranch } from './pushed-branch.ts'

interface ExistingOne {
  readonly iid: number
  readonly project_id: number
}

/** The open merge request of the branch: of several the one into the branch that is asked for, then the newest. */
export async function existingOne({
  push,
  source,
  asked,
  target,
}: PushedBranch): Promise<ExistingOne | undefined> {
  const rows = await push.services.db
    .selectFrom('merge_requests')
    .select(['iid', 'project_id', 'target_branch'])
    .where('source_project_id', '=', source.project)
    .where('source_branch', '=', source.branch)
    .where('state', '=', 'opened')
    .$if(target !== undefined, (q) => q.where('project_id', '=', target?.container.id ?? 0))
    .orderBy('id', 'desc')
    .limit(100)
    .execute()
  return rows.find(({ target_branch }) => target_branch === asked.target) ?? rows[0]
}

/** Changes a merge request as the options ask for. @param remarks gets what could not be done */
export async function changeAsAsked(
  pushed: PushedBranch,
  { iid, project_id }: ExistingOne,
  remarks: string[],
): Promise<void> {
  const { asked, push, person } = pushed
  const project = await pushed.authorize(String(project_id), 'edit_merge_request')
  const before = await findMergeRequest(push.services.db, person.viewer, project, iid)
  const title = asked.draft ? asDraft(asked.title ?? before.title) : asked.title
  const changes: object = defined({
    ...(await commonChanges(pushed, project, before.assignees, remarks)),
    title,
    target_branch: asked.target,
  })
  let row = before
  if (Object.keys(changes).length > 0) {
    if (!Check(MergeRequestChanges, changes)) throw outOfBounds()
    row = await changeMergeRequestAs(pushed.writerIn(project), iid, changes)
  }
  if (asked.autoMerge) await mergeWhenPossible(pushed, project, row, remarks)
}

/** What the API would not take either. */
const outOfBounds = () => refusal('A title, a label or the name of a branch is too long')

/** Opens the merge request of the branch. @param remarks gets what could not be done */
export async function createAsAsked(pushed: PushedBranch, remarks: string[]): Promise<void> {
  const { asked, source, person } = pushed
  const from = await pushed.authorize(String(source.project), 'push_code')
  const target = await targetOf(pushed, from)
  const branch = asked.target ?? (await defaultBranchOf(pushed, target.container.id))
  if (branch === undefined) throw refusal('The target project has no branches yet')
  const first = asked.title === undefined ? await firstText(pushed, branch) : { title: asked.title }
  const changes = await commonChanges(pushed, target, [person.user], remarks)
  const mayAssign = target.can('admin_merge_request')
  const wanted: object = defined({
    ...first,
    ...(mayAssign && { assignee_ids: [person.user.id] }),
    ...changes,
    title: asked.draft ? asDraft(first.title) : first.title,
    source_branch: source.branch,
    target_branch: branch,
    target_project_id: target.container.id,
  })
  if (!Check(NewMergeRequest, wanted)) throw outOfBounds()
  const { row, authorized: project } = await openMergeRequestAs(pushed.writerIn(from), wanted)
  if (asked.autoMerge) await mergeWhenPossible(pushed, project, row, remarks)
}

/** The project that gets the changes: the one that is asked for, the one that this is a fork of, or this one. */
async function targetOf(pushed: PushedBranch, from: AuthorizedProject): Promise<AuthorizedProject> {
  if (pushed.target !== undefined)
    return pushed.authorize(String(pushed.target.container.id), 'create_merge_request')
  const fork = await pushed.push.services.db
    .selectFrom('project_forks as f')
    .innerJoin('projects as p', 'p.id', 'f.project_id')
    .select(['f.source_id', sql<StoredSettings>`p.settings`.as('settings')])
    .where('f.project_id', '=', from.container.id)
    .executeTakeFirst()
  return fork === undefined || completed(fork.settings).mr_default_target_self
    ? from
    : pushed.authorize(String(fork.source_id), 'create_merge_request')
}

async function defaultBranchOf({ push }: PushedBranch, project: number): Promise<string | undefined> {
  const repository = await push.services.repositories.ofProject(project)
  return repository?.row.default_branch ?? undefined
}

/** What new and existing merge requests can be given alike. */
async function commonChanges(
  pushed: PushedBranch,
  project: AuthorizedProject,
  assigned: readonly { readonly id: number; readonly username: string }[],
  remarks: string[],
) {
  const { asked, push } = pushed
  const { description, squash, removeSourceBranch: remove_source_branch } = asked
  const plain = { description, squash, remove_source_branch }
  const wants = [asked.label, asked.unlabel, asked.assign, asked.unassign].some(({ length }) => length > 0)
  if (!wants && asked.milestone === undefined) return defined(plain)
  if (!project.can('admin_merge_request')) {
    remarks.push('you may not set labels, assignees and the milestone of merge requests there.')
    return defined(plain)
  }
  const { db } = push.services
  return defined({
    ...plain,
    add_labels: asked.label.length === 0 ? undefined : [...asked.label],
    remove_labels: asked.unlabel.length === 0 ? undefined : [...asked.unlabel],
    milestone_id: await milestoneNamed(db, project, asked.milestone, remarks),
    assignee_ids: await assigneesAfter(db, assigned, asked, remarks),
  })
}

/** Has it merged as soon as it can be. */
async function mergeWhenPossible(
  pushed: PushedBranch,
  project: AuthorizedProject,
  { iid, target_branch }: SingleMergeRequestRow,
  remarks: string[],
): Promise<void> {
  const { push, person } = pushed
  const actor = {
    authorized: project,
    viewer: person.viewer,
    changer: { accessContext: project.accessContext, userId: person.user.id },
  }
  if (!(await mayMergeInto(push.services.db, actor, target_branch))) {
    remarks.push(`you may not merge into ${target_branch}, so the merge request waits for somebody who may.`)
    return
  }
  const refused = new NotAllowed(`The merge request cannot be merged into ${target_branch} as it is`)
  await mergeLater(pushed.writerIn(project), iid, {}, refused)
}
