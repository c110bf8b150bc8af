import type { AuthorizedProject } from '#platform/access/authorize.ts'
import type { Viewer } from '#platform/access/viewer.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { assignIssue, obstacleToIssue } from '#planning/epics/assign-issue.ts'
import { findEpicById } from '#planning/epics/tree.ts'
import type { QuickActions } from '#planning/noteables/kind.ts'
import { applyQuickActions, lockCommanded } from '#planning/quick-actions/apply-quick-actions.ts'
import { type Draft, type ItemReference, noChildren, unspent } from '#planning/quick-actions/draft.ts'
import type { CommandsChanges } from '#planning/quick-actions/entity.ts'
import { quickActions } from '#planning/quick-actions/later-actions.ts'
import { projectIn } from '#planning/quick-actions/names.ts'
import type { Command } from '#planning/quick-actions/parse-quick-actions.ts'
import type { QuickAction, Role } from '#planning/quick-actions/quick-action.ts'
import { writeShared } from '#planning/quick-actions/write-shared.ts'
import { issueItems } from './item-kind.ts'
import { linkIssues } from './links/link-issues.ts'
import { markDuplicate } from './links/mark-duplicate.ts'
import { linkedIssueById, obstacleToLink, obstacleToOriginal } from './links/named.ts'
import { lockCarried } from './move/at-target.ts'
import { cloneIssue } from './move/clone-issue.ts'
import { moveIssue } from './move/move-issue.ts'
import { obstacleToClone, obstacleToMove, placeFor } from './move/obstacle.ts'
import { mayChange } from './policy.ts'
import { lockIssue } from './lock-issue.ts'
import type { SingleIssueRow } from './queries.ts'
import { updateIssue } from './update-issue.ts'

/** The effects of commands in the notes of an issue. */
export const issueQuickActions: QuickActions = {
  actions: quickActions,

  async lockNamed(tx, caller, commands, key) {
    const authorized = caller.project()
    await lockCommanded(tx, authorized, caller.viewer, quickActions, commands)
    if (key !== undefined) await lockTaken(tx, caller.viewer, authorized, commands, Number(key))
  },

  async apply(tx, caller, key, commands) {
    const { author } = tx
    if (author === null) throw new Error('Quick actions need an author')
    const { viewer } = caller
    const authorized = caller.project()
    const issue = await lockIssue(tx, viewer, authorized, Number(key))
    return applyQuickActions(tx, authorized, viewer, commands, {
      noun: 'issue',
      project: { id: authorized.container.id, reference: authorized.container.full_path },
      actions: quickActions,
      before: draftOf(issue),
      may: (change) => may(authorized, issue, author, change),
      obstacleTo: (named, role) => obstacle(tx, viewer, issue, named, role),
      write: (changes) => write(tx, viewer, authorized, issue, changes),
    })
  },
}

/** Locks the labels and milestones that the issue would have in the projects to which commands take it. */
async function lockTaken(
  tx: Tx,
  viewer: Viewer,
  { container: here }: AuthorizedProject,
  commands: readonly Command[],
  iid: number,
): Promise<void> {
  const taking = commands.filter(({ name }) => name === 'move' || name === 'clone')
  const paths = new Set(taking.flatMap(({ args }) => projectIn(args)))
  // Each noteable is cloned or moved once, so the last of each counts.
  for (const path of [...paths].slice(-2)) {
    const there = await placeFor(tx, viewer, path)
    if (there !== undefined) await lockCarried(tx, there.container, here.id, iid)
  }
}

/** Whether somebody may make a change by a command. */
function may(
  authorized: AuthorizedProject,
  issue: SingleIssueRow,
  author: { readonly id: number },
  change: NonNullable<QuickAction['changes']>,
): boolean {
  if (change === 'subscribed') return authorized.can('subscribe_issue')
  if (change === 'emoji_award') return authorized.can('award_issue_emoji')
  if (change === 'issue_links') return authorized.can('link_issue')
  if (forPlanners.has(change)) return authorized.can('admin_issue')
  return mayChange(authorized, issue, author, [change])
}

/** The changes that commands alone make. */
const forPlanners: ReadonlySet<string> = new Set([
  'time_estimate',
  'spend_time',
  'reviewer_ids',
  'canonical_issue_id',
  'target_project_id',
  'target_clone_project_id',
])

/** Why what a command names cannot become this to the issue, as a sentence. */
async function obstacle(
  tx: Tx,
  viewer: Viewer,
  issue: SingleIssueRow,
  named: ItemReference,
  role: Role,
): Promise<string | undefined> {
  if (role === 'linked') return obstacleToLink(tx, viewer, issue, named)
  if (role === 'original') return obstacleToOriginal(tx, viewer, issue, named)
  if (role === 'new project') return obstacleToMove(tx, viewer, issue, named)
  if (role === 'project of a clone') return obstacleToClone(tx, viewer, named)
  return obstacleToIssue(tx, viewer, named.id, issue)
}

/** The issue before the first command. */
function draftOf(issue: SingleIssueRow): Draft {
  return {
    title: issue.title,
    state: issue.state,
    assignees: issue.assignees,
    labels: issue.labels,
    labelsReplaced: false,
    milestone: issue.milestone,
    dueDate: issue.due_date,
    confidential: issue.confidential,
    locked: issue.discussion_locked ?? false,
    weight: issue.weight,
    subscribed: issue.subscribed,
    epicId: issue.epic?.id ?? null,
    ...noChildren,
    ...unspent,
    timeEstimate: issue.time_estimate,
  }
}

async function write(
  tx: Tx,
  viewer: Viewer,
  here: AuthorizedProject,
  issue: SingleIssueRow,
  {
    subscription_event,
    todo_event,
    time_estimate,
    spend_time,
    emoji_award,
    epic_id,
    issue_links = [],
    canonical_issue_id,
    target_project_id,
    target_clone_project_id,
    clone_with_notes = false,
    ...ofIssue
  }: CommandsChanges,
): Promise<void> {
  if (Object.keys(ofIssue).length > 0) await updateIssue(tx, issue, ofIssue)
  if (epic_id !== undefined)
    await assignIssue(tx, issue, epic_id === null ? null : await findEpicById(tx, viewer, epic_id))
  const shared = { subscription_event, todo_event, time_estimate, spend_time, emoji_award }
  await writeShared(tx, issueItems, issue, shared)
  // At most a few: a note names a bounded number of issues.
  for (const { issue_id, link_type } of issue_links)
    await linkIssues(tx, issue, await linkedIssueById(tx, issue_id), link_type)
  if (canonical_issue_id !== undefined)
    await markDuplicate(tx, issue, await linkedIssueById(tx, canonical_issue_id))
  const options = { withNotes: clone_with_notes, userAgent: null }
  const cloneTo = target_clone_project_id && (await placeFor(tx, viewer, target_clone_project_id))
  if (cloneTo) await cloneIssue(tx, viewer, here, issue.iid, cloneTo, options)
  const moveTo = target_project_id && (await placeFor(tx, viewer, target_project_id))
  if (moveTo) await moveIssue(tx, viewer, here, issue.iid, moveTo)
}
