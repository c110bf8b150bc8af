import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import type { JobContext } from '#platform/jobs/task.ts'
import { Busy, Refusal } from '#platform/refusals.ts'
import type { RefusalCode } from '#platform/known-texts.ts'
import { touch } from '#planning/noteables/touch.ts'
import { aboutMergeRequest } from '../facts-about.ts'
import { awaitsPipeline } from '../../pipelines/head-pipeline.ts'
import type { MergeRequestRow } from '../queries.ts'
import { mergeMergeRequest } from './merge-merge-request.ts'
import { mergeActorFor } from './merge-actor.ts'
import { type AutoMerge, readAutoMerge } from './merge-options.ts'

/** Has a merge request, which is locked, merged as soon as it can be. */
export async function keepAutoMerge(
  tx: Tx,
  row: Pick<MergeRequestRow, 'id' | 'namespace_id'>,
  autoMerge: AutoMerge,
): Promise<void> {
  await tx.db
    .updateTable('merge_requests')
    .set({ auto_merge: JSON.stringify(autoMerge), merge_error: null })
    .where('id', '=', row.id)
    .execute()
  await touch(tx, row.id)
  const details = { state: 'enabled', sha: autoMerge.sha } as const
  record(tx, { ...aboutMergeRequest(row), name: 'merge request auto-merge changed', details })
}

/** Cancels an automatic merge. @param row the merge request, locked */
export async function cancelAutoMerge(
  tx: Tx,
  row: Pick<MergeRequestRow, 'id' | 'namespace_id' | 'auto_merge'>,
): Promise<void> {
  if (row.auto_merge === null) return
  await tx.db.updateTable('merge_requests').set({ auto_merge: null }).where('id', '=', row.id).execute()
  await touch(tx, row.id)
  const details = { state: 'canceled', sha: null } as const
  record(tx, { ...aboutMergeRequest(row), name: 'merge request auto-merge changed', details })
}

/** Refusals after which an automatic merge still waits: whoever removes the obstacle has it tried again. */
const WAITING: readonly (RefusalCode | undefined)[] = ['held-back', 'cannot-be-merged']

/**
 * Carries out the automatic merge of a merge request, if it can be merged now.
 * @throws 503 while its repository moves to another storage, after which nothing else would try the merge again
 */
export async function carryOutAutoMerge(job: JobContext, id: number): Promise<void> {
  const row = await job.db
    .selectFrom('merge_requests')
    .select(['id', 'iid', 'project_id', 'auto_merge'])
    .where('id', '=', id)
    .where('state', '=', 'opened')
    .executeTakeFirst()
  const autoMerge = readAutoMerge(row?.auto_merge ?? null)
  if (row === undefined || autoMerge === undefined) return
  if (await awaitsPipeline(job.db, id)) return
  const repositories = job.repositories
  const request = { userId: autoMerge.user_id, projectId: row.project_id, site: autoMerge.site }
  const actor = await mergeActorFor(job, request)
  if (actor === undefined) return giveUp(job, id, 'Whoever asked for the merge may not merge any more')
  try {
    await mergeMergeRequest(repositories, actor, row.iid, autoMerge)
  } catch (error) {
    if (!(error instanceof Refusal) || error instanceof Busy) throw error
    if (!WAITING.includes(error.code)) await giveUp(job, id, error.message)
  }
}

async function giveUp(job: JobContext, id: number, merge_error: string): Promise<void> {
  await job.transact(async (tx) => {
    await tx.db
      .updateTable('merge_requests')
      .set({ auto_merge: null, merge_error: merge_error.slice(0, 1_000) })
      .where('id', '=', id)
      .execute()
  })
}
