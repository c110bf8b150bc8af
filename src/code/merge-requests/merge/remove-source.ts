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
import { type MergeActor, mergeActorFor } from './merge-actor.ts'

type Source = Pick<MergeRequestRow, 'source_project_id' | 'source_branch' | 'head_sha'>

/**
 * Removes the source branch of a merged merge request, with the rights of whoever merged it. The branch stays if they may not delete it, if
 * it is protected or the default branch, or if it has moved since. While its repository cannot be written to, a job tries again.
 */
export async function removeSource(
  repositories: Repositories,
  actor: MergeActor,
  merged: Source & Pick<MergeRequestRow, 'id'>,
): Promise<void> {
  try {
    await removeNow(repositories, actor, merged)
  } catch (error) {
    if (!isPassing(error)) throw error
    const request = { merge_request_id: merged.id, user_id: actor.author.id, site: actor.site }
    await transact(repositories.source, actor.by, (tx) => enqueue(tx, removeSourceLater, request))
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
    const actor = await mergeActorFor(job, { userId, projectId: row.project_id, site })
    if (actor !== undefined) await removeNow(repositories, actor, row)
  },
)

/** @throws what may pass by itself, such as 503 while the repository moves */
async function removeNow(
  repositories: Repositories,
  { viewer, by, site }: MergeActor,
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
