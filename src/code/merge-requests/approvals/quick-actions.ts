import type { Tx } from '#platform/db/transaction.ts'
import { dayOf } from '#platform/http/time.ts'
import type { Caller } from '#planning/noteables/containers.ts'
import type { Command } from '#planning/quick-actions/parse-quick-actions.ts'
import {
  type ActionTable,
  done,
  type CommandOutcome,
  type QuickAction,
  commandFailed,
} from '#planning/quick-actions/quick-action.ts'
import type { MergeRequestDraft } from '../commanded.ts'
import type { MergeRequestRow } from '../queries.ts'
import { approve, type Approver, mayApprove, submitReview, unapprove } from './approve.ts'
import { approvalSettingsOf, lenient } from './settings.ts'
import { demandsApprovals } from './tier.ts'

/** What a command does with one's review. */
export type ReviewDecision = NonNullable<MergeRequestDraft['review']>

/** What the writer of commands may do with a merge request. */
interface Review {
  /** Why they may not approve; undefined when they may. */
  readonly refusal: string | undefined
  readonly hasApproved: boolean
  readonly isReviewer: boolean
}

type Decide = (review: Review, args: string) => CommandOutcome<MergeRequestDraft>

interface ReviewAction extends Pick<QuickAction, 'aliases' | 'takes' | 'does'> {
  readonly decide: Decide
}

const requestChanges: Decide = ({ isReviewer }) =>
  isReviewer
    ? done<MergeRequestDraft>('Requested changes of this merge request.', { review: 'requested_changes' })
    : commandFailed('You are no reviewer of this merge request.')

const approved: Decide = ({ refusal }) =>
  refusal === undefined
    ? done<MergeRequestDraft>('Approved this merge request.', { review: 'approved' })
    : commandFailed(refusal)

const reviewed: Decide = ({ isReviewer }) =>
  isReviewer
    ? done<MergeRequestDraft>('Submitted your review.', { review: 'reviewed' })
    : commandFailed('You are no reviewer of this merge request.')

const submit: Decide = (review, args) => {
  if (args === '' || args === 'reviewed') return reviewed(review, args)
  if (args === 'approve') return approved(review, args)
  if (args === 'requested_changes') return requestChanges(review, args)
  return commandFailed('/submit_review takes reviewed, approve or requested_changes.')
}

const table: Readonly<Record<string, ReviewAction>> = {
  approve: { does: 'Approves the merge request.', decide: approved },
  unapprove: {
    does: 'Takes your approval back.',
    decide: ({ hasApproved }) =>
      hasApproved
        ? done<MergeRequestDraft>('Took your approval of this merge request back.', { review: 'unapproved' })
        : commandFailed('You have not approved this merge request.'),
  },
  submit_review: {
    takes: 'reviewed, approve or requested_changes; or nothing',
    does: 'Ends your review.',
    decide: submit,
  },
  request_changes: { does: 'Ends your review and asks for changes.', decide: requestChanges },
}

const unasked: Review = { refusal: undefined, hasApproved: false, isReviewer: false }

const actionsFor = (review: Review): ActionTable<MergeRequestDraft> =>
  Object.fromEntries(
    Object.entries(table).map(([name, { decide, ...action }]) => [
      name,
      { ...action, run: (_, args) => decide(review, args) } satisfies QuickAction<MergeRequestDraft>,
    ]),
  )

/** The commands, to recognize them by. */
export const reviewActions: ActionTable = actionsFor(unasked)

/** The same for their writer, on a merge request that is locked. */
export async function reviewActionsOn(
  tx: Tx,
  caller: Caller,
  mergeRequest: MergeRequestRow,
  commands: readonly Command[],
): Promise<ActionTable<MergeRequestDraft>> {
  if (!commands.some(({ name }) => name in table)) return {}
  const userId = tx.author?.id ?? 0
  const approval = await tx.db
    .selectFrom('merge_request_approvals')
    .select('user_id')
    .where('merge_request_id', '=', mergeRequest.id)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return actionsFor({
    refusal: await refusalOf(tx, mergeRequest, await approverOf(tx, caller, mergeRequest)),
    hasApproved: approval !== undefined,
    isReviewer: mergeRequest.reviewers.some(({ id }) => id === userId),
  })
}

/** The writer as somebody who wants to approve. Nobody asks git within a transaction, so committers are not known. */
async function approverOf(tx: Tx, caller: Caller, { project_id }: MergeRequestRow): Promise<Approver> {
  const settings = demandsApprovals(caller.server.services)
    ? await approvalSettingsOf(tx.db, project_id)
    : lenient
  const isDeveloper = caller.project().can('admin_merge_request')
  return { id: tx.author?.id ?? 0, isDeveloper, settings, committers: [] }
}

async function refusalOf(tx: Tx, row: MergeRequestRow, approver: Approver): Promise<string | undefined> {
  const { settings } = approver
  if (settings.require_reauthentication_to_approve)
    return 'Approving takes your password here, not a command.'
  if (settings.merge_requests_disable_committers_approval)
    return 'Who committed may not approve here, so approve without a command.'
  if (await mayApprove(tx.db, row, approver, dayOf(tx.now))) return undefined
  return 'You cannot approve this merge request.'
}

/** Carries out what the last of the commands decided. */
export async function review(
  tx: Tx,
  caller: Caller,
  row: MergeRequestRow,
  decision: ReviewDecision,
): Promise<void> {
  const approver = await approverOf(tx, caller, row)
  if (decision === 'approved') await approve(tx, row, approver)
  else if (decision === 'unapproved') await unapprove(tx, row, approver.id)
  else await submitReview(tx, row, approver.id, decision)
}
