import type { QuickActions } from '#planning/noteables/kind.ts'
import { applyQuickActions, lockCommanded } from '#planning/quick-actions/apply-quick-actions.ts'
import { type Draft, noChildren } from '#planning/quick-actions/draft.ts'
import type { CommandsChanges } from '#planning/quick-actions/entity.ts'
import { quickActions } from '#planning/quick-actions/later-actions.ts'
import type { Viewer } from '#platform/access/viewer.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { assignIssue, obstacleToIssue } from '#planning/epics/assign-issue.ts'
import { findEpicById } from '#planning/epics/tree.ts'
import { mayChange } from './policy.ts'
import { lockIssue, type SingleIssueRow } from './queries.ts'
import { chooseSubscription } from './subscribe-issue.ts'
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
      may: (change) =>
        change === 'subscribed'
          ? authorized.can('subscribe_issue')
          : mayChange(authorized, issue, author, [change]),
      obstacleTo: ({ id }) => obstacleToIssue(tx, viewer, id, issue),
      write: (changes) => write(tx, viewer, issue, author.id, changes),
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
  }
}

async function write(
  tx: Tx,
  viewer: Viewer,
  issue: SingleIssueRow,
  userId: number,
  { subscription_event, epic_id, ...ofIssue }: CommandsChanges,
): Promise<void> {
  if (Object.keys(ofIssue).length > 0) await updateIssue(tx, issue, ofIssue)
  if (epic_id !== undefined)
    await assignIssue(tx, issue, epic_id === null ? null : await findEpicById(tx, viewer, epic_id))
  if (subscription_event !== undefined)
    await chooseSubscription(tx, issue, userId, subscription_event === 'subscribe')
}
