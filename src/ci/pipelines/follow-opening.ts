import type { AfterOpening } from '#code/merge-requests/extension-points.ts'
import { enqueue } from '#platform/jobs/enqueue.ts'
import { mergeRequestPipelineLater } from './later.ts'

/** A new merge request gets a pipeline, if its configuration has jobs for merge requests. */
export const followOpening: AfterOpening = async (tx, mergeRequestId) => {
  if (tx.author === null) return
  await enqueue(tx, mergeRequestPipelineLater, { merge_request_id: mergeRequestId, user_id: tx.author.id })
}
