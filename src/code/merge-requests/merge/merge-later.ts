import { enqueue } from '#platform/jobs/enqueue.ts'
import type { Refusal } from '#platform/refusals.ts'
import type { WritingCaller } from '#planning/noteables/containers.ts'
import { demandsApprovals } from '../approvals/tier.ts'
import { obstacleOf } from '../merge-status.ts'
import { lockMergeRequest } from '../queries.ts'
import { keepAutoMerge } from './auto-merge.ts'
import { checkMergeability } from './check-mergeability.ts'
import { assertSha } from './merge-merge-request.ts'
import type { MergeOptions } from './merge-options.ts'

/** Merges later, once nothing holds the merge back. @param refused thrown when the obstacle cannot go away by itself */
export async function mergeLater(
  writer: WritingCaller,
  iid: number,
  options: MergeOptions,
  refused: Refusal,
): Promise<void> {
  const { site, viewer, server } = writer
  await writer.write(async (tx) => {
    const row = await lockMergeRequest(tx, viewer, writer.project(), iid)
    const obstacle = obstacleOf(row, {
      now: Date.parse(tx.now),
      demandsApprovals: demandsApprovals(server.services),
    })
    if (obstacle?.passes === false) throw refused
    assertSha(row, options.sha)
    await keepAutoMerge(tx, row, { ...options, user_id: writer.user().id, site, sha: row.head_sha })
    // If it has gone meanwhile, or goes by itself at a time, nothing else looks again.
    const runAt = obstacle?.status === 'merge_time' ? row.merge_after : null
    if (obstacle === undefined || runAt !== null)
      await enqueue(tx, checkMergeability, { merge_request_ids: [row.id] }, runAt === null ? {} : { runAt })
  })
}
