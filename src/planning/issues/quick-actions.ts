import type { QuickActions } from '#planning/noteables/kind.ts'
import { applyQuickActions, lockCommanded } from '#planning/quick-actions/apply-quick-actions.ts'
import { type Draft, noChildren, unspent } from '#planning/quick-actions/draft.ts'
import type { CommandsChanges } from '#planning/quick-actions/entity.ts'
import { writeShared } from '#planning/quick-actions/write-shared.ts'
import { quickActions } from '#planning/quick-actions/later-actions.ts'
import type { Viewer } from '#platform/access/viewer.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { assignIssue, obstacleToIssue } from '#planning/epics/assign-issue.ts'
import { findEpicById } from '#planning/epics/tree.ts'
import { issueItems } from './item-kind.ts'
import { mayChange } from './policy.ts'
import { lockIssue, type SingleIssueRow } from './queries.ts'
import { updateIssue } from './update-issue.ts'

/** The effects of commands in the notes of an issue. */
export const issueQuickActions: QuickActions = {
  actions: quickActions,

  lockNamed: (tx, caller, commands) =>
    lockCommanded(tx, caller.project(), caller.viewer, quickActions, commands),

  async apply(tx, caller, key, commands) {
    const { author } = tx
    if (author === null) throw new Error('Quick actions need an author')
    const { viewer } = caller
    const authorized = caller.project()
    const issue = await lockIssue(tx, viewer, authorized, Number(key))
    return applyQuickActions(tx, authorized, viewer, commands, {
      noun: 'issue',
      actions: quickActions,
      before: draftOf(issue),
      may: (change) => {
        if (change === 'subscribed') return authorized.can('subscribe_issue')
        if (change === 'emoji_award') return authorized.can('award_issue_emoji')
        if (change === 'time_estimate' || change === 'spend_time' || change === 'reviewer_ids')
          return authorized.can('admin_issue')
        return mayChange(authorized, issue, author, [change])
      },
      obstacleTo: ({ id }) => obstacleToIssue(tx, viewer, id, issue),
      write: (changes) => write(tx, viewer, issue, changes),
    })
  },
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
    reviewers: [],
  }
}

async function write(
  tx: Tx,
  viewer: Viewer,
  issue: SingleIssueRow,
  { subscription_event, time_estimate, spend_time, emoji_award, epic_id, ...ofIssue }: CommandsChanges,
): Promise<void> {
  if (Object.keys(ofIssue).length > 0) await updateIssue(tx, issue, ofIssue)
  if (epic_id !== undefined)
    await assignIssue(tx, issue, epic_id === null ? null : await findEpicById(tx, viewer, epic_id))
  const shared = { subscription_event, time_estimate, spend_time, emoji_award }
  await writeShared(tx, { item: issueItems, noteable: { type: 'Issue', votes: 'issues' } }, issue, shared)
}
