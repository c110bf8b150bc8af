import type { Tx } from '#platform/db/transaction.ts'
import { enqueue } from '#platform/jobs/enqueue.ts'
import type { Caller } from '#planning/noteables/containers.ts'
import type { CommandingNote } from '#planning/noteables/kind.ts'
import type { Command } from '#planning/quick-actions/parse-quick-actions.ts'
import {
  type ActionTable,
  done,
  type CommandOutcome,
  commandFailed,
} from '#planning/quick-actions/quick-action.ts'
import { demandsApprovals } from '../approvals/tier.ts'
import { type MergeMoment, obstacleOf } from '../merge-status.ts'
import type { MergeRequestDraft } from '../commanded.ts'
import type { MergeRequestRow } from '../queries.ts'
import { checkMergeability } from './check-mergeability.ts'
import { isRebasing } from './begin-rebase.ts'
import { mayMergeInto } from './merge-actor.ts'
import type { AutoMerge } from './merge-options.ts'

const merge = {
  does: 'Merges the merge request, if `merge_request_diff_head_sha` of the note is its last commit.',
} as const
const rebase = { does: 'Rebases the source branch on the target branch.' } as const
const unknown = (): CommandOutcome => commandFailed('This is no merge request.')

/** The commands that need the merge request itself: {@link mergeActionsOn} says what they do. */
export const mergeActions: ActionTable = {
  merge: { ...merge, run: unknown },
  rebase: { ...rebase, run: unknown },
}

/** Those commands on a merge request, which is locked. */
export async function mergeActionsOn(
  tx: Tx,
  caller: Caller,
  row: MergeRequestRow,
  commands: readonly Command[],
  { merge_request_diff_head_sha: seen }: CommandingNote = {},
): Promise<ActionTable<MergeRequestDraft>> {
  if (!commands.some(({ name }) => name in mergeActions) || tx.author === null) return mergeActions
  const authorized = caller.project()
  const { accessContext, can } = authorized
  const changer = { accessContext, userId: tx.author.id }
  const mayMerge = await mayMergeInto(
    tx.db,
    { authorized, changer, viewer: caller.viewer },
    row.target_branch,
  )
  const now = Date.parse(tx.now)
  return {
    merge: {
      ...merge,
      run: () =>
        runMerge(row, { seen, mayMerge, now, demandsApprovals: demandsApprovals(caller.server.services) }),
    },
    rebase: { ...rebase, run: () => runRebase(row, can('push_code'), now) },
  }
}

function runMerge(
  row: MergeRequestRow,
  {
    seen,
    mayMerge,
    ...moment
  }: { readonly seen: string | undefined; readonly mayMerge: boolean } & MergeMoment,
): CommandOutcome<MergeRequestDraft> {
  if (!mayMerge) return commandFailed('You may not merge this merge request.')
  if (seen === undefined)
    return commandFailed('/merge needs merge_request_diff_head_sha, the commit that you have seen.')
  if (seen !== row.head_sha)
    return commandFailed(
      'The source branch has other commits than those that you have seen. Nothing was merged.',
    )
  const obstacle = obstacleOf(row, moment)
  if (obstacle !== undefined)
    return commandFailed(`This merge request cannot be merged now: ${obstacle.status}.`)
  if (row.merge_status === 'cannot_be_merged')
    return commandFailed('This merge request cannot be merged: conflict.')
  return done<MergeRequestDraft>('Scheduled to merge this merge request.', { merge: row.head_sha })
}

function runRebase(row: MergeRequestRow, mayPush: boolean, now: number): CommandOutcome<MergeRequestDraft> {
  if (row.state !== 'opened') return commandFailed('This merge request is not open.')
  if (!mayPush || row.source_project_id === null)
    return commandFailed('You may not rebase this merge request.')
  if (isRebasing(row, now)) return commandFailed('A rebase is under way already.')
  return done<MergeRequestDraft>('Scheduled a rebase of this merge request.', { rebase: true })
}

/** Has a merge request merged by a job, because a note cannot wait for git. */
export async function mergeSoon(
  tx: Tx,
  { id }: Pick<MergeRequestRow, 'id'>,
  autoMerge: AutoMerge,
): Promise<void> {
  await tx.db
    .updateTable('merge_requests')
    .set({ auto_merge: JSON.stringify(autoMerge), merge_error: null })
    .where('id', '=', id)
    .execute()
  await enqueue(tx, checkMergeability, { merge_request_ids: [id] })
}
