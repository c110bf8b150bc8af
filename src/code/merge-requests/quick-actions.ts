import type { Tx } from '#platform/db/transaction.ts'
import type { Caller } from '#planning/noteables/containers.ts'
import type { CommandsResult, QuickActions } from '#planning/noteables/kind.ts'
import { applyQuickActions, lockCommanded } from '#planning/quick-actions/apply-quick-actions.ts'
import type { CommandsChanges } from '#planning/quick-actions/entity.ts'
import type { ActionTable } from '#planning/quick-actions/quick-action.ts'
import { issueActions } from '#planning/quick-actions/issue-actions.ts'
import { ofEpics, ofIssues, recognized } from '#planning/quick-actions/later-actions.ts'
import { beginRebase } from './merge/begin-rebase.ts'
import { mergeActions, mergeActionsOn, mergeSoon } from './merge/quick-actions.ts'
import { keepCommitClosings } from './issues/commit-closings.ts'
import { review, reviewActions, reviewActionsOn } from './approvals/quick-actions.ts'
import { noEpics, unspent } from '#planning/quick-actions/draft.ts'
import { writeShared } from '#planning/quick-actions/write-shared.ts'
import { type MergeRequestDraft, ownChangesBetween } from './commanded.ts'
import { mergeRequestItems } from './item-kind.ts'
import { reviewerActions } from './review-actions.ts'
import { mayChange } from './policy.ts'
import { lockMergeRequest, type SingleMergeRequestRow } from './queries.ts'
import { newTarget, type NewTarget, targetAction, targetActionOn } from './target-action.ts'
import { updateMergeRequest } from './update-merge-request.ts'

const shared = [
  'close',
  'reopen',
  'title',
  'assign',
  'unassign',
  'reassign',
  'label',
  'unlabel',
  'relabel',
  'milestone',
  'remove_milestone',
  'lock',
  'unlock',
  'subscribe',
  'unsubscribe',
  'todo',
  'done',
  'estimate',
  'remove_estimate',
  'spend',
  'remove_time_spent',
  'award',
] as const

/** The commands in the notes of a merge request. */
const actions: ActionTable = recognized(
  {
    ...Object.fromEntries(
      Object.entries(issueActions).filter(([name]) => shared.some((one) => one === name)),
    ),
    ...reviewerActions,
    ...mergeActions,
    ...targetAction,
    ...reviewActions,
  },
  [ofIssues, ofEpics],
)

/** The effects of commands in the notes of a merge request. */
export const mergeRequestQuickActions: QuickActions = {
  actions,

  lockNamed: (tx, caller, commands) => lockCommanded(tx, caller.project(), caller.viewer, actions, commands),

  async informed(caller, key, commands) {
    const target = await newTarget(caller, Number(key), commands)
    return target && actionsWith(target)
  },

  apply: (...given) => apply(undefined, ...given),
}

/** Those effects once it is known what a new target branch changes. */
export const actionsWith = (target: NewTarget | undefined): QuickActions => ({
  ...mergeRequestQuickActions,
  apply: (...given) => apply(target, ...given),
})

async function apply(
  target: NewTarget | undefined,
  ...[tx, caller, key, commands, note]: Parameters<QuickActions['apply']>
): Promise<CommandsResult> {
  const { author } = tx
  if (author === null) throw new Error('Quick actions need an author')
  const { viewer } = caller
  const authorized = caller.project()
  const mergeRequest = await lockMergeRequest(tx, viewer, authorized, Number(key))
  return applyQuickActions(tx, authorized, viewer, commands, {
    noun: 'merge request',
    actions: {
      ...actions,
      ...targetActionOn(mergeRequest, target),
      ...(await mergeActionsOn(tx, caller, mergeRequest, commands, note)),
      ...(await reviewActionsOn(tx, caller, mergeRequest, commands)),
    },
    before: draftOf(mergeRequest),
    ownChanges: ownChangesBetween,
    may: (change) => {
      if (change === 'subscribed') return authorized.can('subscribe_merge_request')
      if (change === 'emoji_award') return authorized.can('award_merge_request_emoji')
      if (change === 'time_estimate' || change === 'spend_time') return authorized.can('admin_merge_request')
      return mayChange(authorized, mergeRequest, author, [change])
    },
    write: (changes) => write(tx, caller, { mergeRequest, userId: author.id, target }, changes),
  })
}

/** The merge request before the first command. */
function draftOf(row: SingleMergeRequestRow): MergeRequestDraft {
  return {
    title: row.title,
    state: row.state === 'opened' ? 'opened' : 'closed',
    assignees: row.assignees,
    labels: row.labels,
    labelsReplaced: false,
    milestone: row.milestone,
    dueDate: null,
    confidential: false,
    locked: row.discussion_locked ?? false,
    weight: null,
    subscribed: row.subscribed,
    timeEstimate: row.time_estimate,
    reviewers: row.reviewers,
    ...unspent,
    ...noEpics,
  }
}

async function write(
  tx: Tx,
  caller: Caller,
  {
    mergeRequest,
    userId,
    target,
  }: {
    readonly mergeRequest: SingleMergeRequestRow
    readonly userId: number
    readonly target: NewTarget | undefined
  },
  {
    subscription_event,
    todo_event,
    time_estimate,
    spend_time,
    emoji_award,
    merge,
    rebase,
    review: decision,
    ...changes
  }: CommandsChanges,
): Promise<void> {
  const { site } = caller
  const { found, closes = [] } = changes.target_branch === undefined ? {} : (target ?? {})
  const comparison = typeof found === 'object' ? found : undefined
  if (Object.keys(changes).length > 0) await updateMergeRequest(tx, mergeRequest, changes, comparison)
  if (comparison !== undefined)
    await keepCommitClosings(tx, [{ merge_request_id: mergeRequest.id, issue_ids: closes }])
  const shared = { subscription_event, todo_event, time_estimate, spend_time, emoji_award }
  await writeShared(tx, mergeRequestItems, mergeRequest, shared)
  if (decision !== undefined) await review(tx, caller, mergeRequest, decision)
  if (merge !== undefined) await mergeSoon(tx, mergeRequest, { user_id: userId, site, sha: merge })
  if (rebase === true) await beginRebase(tx, mergeRequest, { userId, site })
}
