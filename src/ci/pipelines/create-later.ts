import { branchOf, BRANCHES } from '#code/git/names.ts'
import { defineTask, type JobServices } from '#platform/jobs/task.ts'
import { Refusal } from '#platform/refusals.ts'
import { isPassing } from '#platform/refusals.ts'
import { createPipeline } from './create-pipeline.ts'
import { createPipelineLater, mergeRequestPipelineLater } from './later.ts'
import type { NewPipeline } from './new-pipeline.ts'

/** Makes the pipelines of a push: that of the branch or tag, and those of the merge requests that the branch is the source of. */
export const createPipelineOfPush = defineTask(
  createPipelineLater.name,
  'short',
  createPipelineLater.payload,
  async ({ project_id, ref, before, sha, user_id, variables, inputs, skip = false, origin }, job) => {
    await unlessRefused(
      job,
      {
        projectId: project_id,
        ref,
        before,
        sha,
        source: 'push',
        userId: user_id,
        ...(variables && { variables }),
        ...(inputs && { inputs }),
        origin,
      },
      skip,
    )
    const branch = branchOf(ref)
    if (branch === undefined) return
    for (const id of await mergeRequestsFrom(job, project_id, branch))
      await createForMergeRequest(job, id, user_id, skip)
  },
)

/** Makes the pipeline of a merge request that was opened. */
export const createPipelineOfMergeRequest = defineTask(
  mergeRequestPipelineLater.name,
  'short',
  mergeRequestPipelineLater.payload,
  ({ merge_request_id, user_id }, job) => createForMergeRequest(job, merge_request_id, user_id, false),
)

/** Merge requests of one branch that get pipelines. */
const MOST = 20

async function mergeRequestsFrom({ db }: JobServices, projectId: number, branch: string): Promise<number[]> {
  const rows = await db
    .selectFrom('merge_requests')
    .select('id')
    .where('source_project_id', '=', projectId)
    .where('source_branch', '=', branch)
    .where('state', '=', 'opened')
    .orderBy('id')
    .limit(MOST)
    .execute()
  return rows.map(({ id }) => id)
}

async function createForMergeRequest(
  job: JobServices,
  id: number,
  userId: number,
  skips: boolean,
): Promise<void> {
  const found = await job.db
    .selectFrom('merge_requests')
    .select(['source_project_id', 'source_branch', 'head_sha'])
    .where('id', '=', id)
    .executeTakeFirst()
  const projectId = found?.source_project_id
  if (found === undefined || projectId === null || projectId === undefined) return
  await unlessRefused(
    job,
    {
      projectId,
      ref: BRANCHES + found.source_branch,
      sha: found.head_sha,
      source: 'merge_request_event',
      userId,
      mergeRequestId: id,
      origin: `merge request ${id} ${found.head_sha}`,
    },
    skips,
  )
}

/** What cannot become a pipeline is no failure of the job: nobody asked for one by name. */
async function unlessRefused(job: JobServices, wanted: NewPipeline, skips: boolean): Promise<void> {
  try {
    await createPipeline(job, wanted, { skips, keepsErrors: true })
  } catch (error) {
    if (!(error instanceof Refusal) || isPassing(error)) throw error
    job.log.debug({ projectId: wanted.projectId, ref: wanted.ref, why: error.message }, 'No pipeline')
  }
}
