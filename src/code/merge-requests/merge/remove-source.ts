import { Type } from 'typebox'
import { authorizeProject } from '#platform/access/authorize.ts'
import { transact } from '#platform/db/transaction.ts'
import { enqueue } from '#platform/jobs/enqueue.ts'
import { defineTask } from '#platform/jobs/task.ts'
import { isPassing, Refusal } from '#platform/refusals.ts'
import { BRANCHES, NO_OBJECT } from '#code/git/names.ts'
import { changeReferences } from '#code/repositories/change-references.ts'
import { hasHappened } from '#code/repositories/outcome.ts'
import type { Repositories } from '#code/repositories/repositories.ts'
import type { MergeRequestRow } from '../queries.ts'
import { type Merger, mergerLater } from './merger.ts'

type Source = Pick<MergeRequestRow, 'source_project_id' | 'source_branch' | 'head_sha'>

/**
 * Removes the source branch of what was merged, in the name of whoever merged it. A branch that they may not delete, that is protected or
 * the default one, or that has moved since, stays: the merge has happened all the same. While its repository cannot be written to, a job
 * tries again.
 */
export async function removeSource(
  repositories: Repositories,
  merger: Merger,
  merged: Source & Pick<MergeRequestRow, 'id'>,
): Promise<void> {
  try {
    await removeNow(repositories, merger, merged)
  } catch (error) {
    if (!isPassing(error)) throw error
    const asked = { merge_request_id: merged.id, user_id: merger.author.id, site: merger.site }
    await transact(repositories.source, merger.by, (tx) => enqueue(tx, removeSourceLater, asked))
  }
}

/** Tries again to remove the source branch of a merge request. */
export const removeSourceLater = defineTask(
  'merge-requests/remove-source',
  'short',
  Type.Object({ merge_request_id: Type.Integer(), user_id: Type.Integer(), site: Type.String() }),
  async ({ merge_request_id, user_id: userId, site }, job) => {
    const { repositories } = job
    const row = await job.db
      .selectFrom('merge_requests')
      .select(['project_id', 'source_project_id', 'source_branch', 'head_sha'])
      .where('id', '=', merge_request_id)
      .where('state', '=', 'merged')
      .executeTakeFirst()
    if (row === undefined) return
    const merger = await mergerLater(job, { userId, projectId: row.project_id, site })
    if (merger !== undefined) await removeNow(repositories, merger, row)
  },
)

/** @throws what may pass by itself, such as 503 while the repository moves */
async function removeNow(
  repositories: Repositories,
  { viewer, by, site }: Merger,
  { source_project_id, source_branch, head_sha }: Source,
): Promise<void> {
  if (source_project_id === null) return
  try {
    const { source } = repositories
    const authorized = await authorizeProject(source.db, viewer, String(source_project_id), 'push_code')
    const repository = await repositories.ofProject(source_project_id)
    if (repository === undefined) return
    const { accessContext } = authorized
    const [outcome] = await changeReferences(repositories, repository, {
      changes: [{ ref: BRANCHES + source_branch, before: head_sha, after: NO_OBJECT }],
      by,
      changer: { accessContext, userId: viewer.id },
      cause: 'api',
      site,
    })
    hasHappened(outcome)
  } catch (error) {
    if (!(error instanceof Refusal) || isPassing(error)) throw error
  }
}
