import { defineTask } from '#platform/jobs/task.ts'
import type { CiStatus } from '#platform/db/schema.ts'
import { definitionColumn } from '../jobs/definition.ts'
import { ended } from '../jobs/statuses.ts'
import { changeIfThere } from './change-if-there.ts'
import { followUpstreamLater } from './later.ts'

/**
 * Ends the job that started a pipeline as the pipeline has ended, where it depends on it. Pipelines are changed one after the other, so
 * that no transaction holds the locks of two.
 */
export const followUpstream = defineTask(
  followUpstreamLater.name,
  'short',
  followUpstreamLater.payload,
  async ({ pipeline_id }, { db, transact }) => {
    const found = await db
      .selectFrom('pipelines as p')
      .innerJoin('ci_jobs as j', 'j.id', 'p.upstream_job_id')
      .innerJoin('ci_job_definitions as d', 'd.id', 'j.definition_id')
      .select(['p.status', 'j.id', 'j.pipeline_id', definitionColumn.as('definition')])
      .where('p.id', '=', pipeline_id)
      .executeTakeFirst()
    if (found?.definition.trigger?.strategy === undefined) return
    const to = mirrored(found.status)
    if (to === undefined) return
    await transact((tx) =>
      changeIfThere(tx, found.pipeline_id, (jobs) => {
        const job = jobs.find(({ id }) => id === found.id)
        if (job === undefined || job.status === to || job.status === 'created') return {}
        return {
          changes: new Map([
            [job.id, { status: to, ...(to === 'failed' && { failureReason: 'downstream_pipeline_failed' }) }],
          ]),
        }
      }),
    )
  },
)

/** What a job is that depends on a pipeline with this status. */
function mirrored(status: CiStatus): 'success' | 'failed' | 'canceled' | 'running' | undefined {
  if (status === 'skipped') return 'success'
  if (status === 'success' || status === 'failed' || status === 'canceled') return status
  return ended.has(status) ? undefined : 'running'
}
