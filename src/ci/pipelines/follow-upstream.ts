import type { Tx } from '#platform/db/transaction.ts'
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
    const upstream = await db
      .selectFrom('pipelines as p')
      .innerJoin('ci_jobs as j', 'j.id', 'p.upstream_job_id')
      .innerJoin('ci_job_definitions as d', 'd.id', 'j.definition_id')
      .select(['j.id', 'j.pipeline_id', definitionColumn.as('definition')])
      .where('p.id', '=', pipeline_id)
      .executeTakeFirst()
    if (upstream?.definition.trigger?.strategy === undefined) return
    await transact(async (tx) => {
      // Only now: of two that tell of changes, the one that comes last knows the newest.
      const to = await statusBelow(tx, upstream.pipeline_id, pipeline_id)
      if (to === undefined) return
      await changeIfThere(tx, upstream.pipeline_id, (jobs) => {
        const job = jobs.find(({ id }) => id === upstream.id)
        if (job === undefined || job.status === to || job.status === 'created') return {}
        return {
          changes: new Map([
            [job.id, { status: to, ...(to === 'failed' && { failureReason: 'downstream_pipeline_failed' }) }],
          ]),
        }
      })
    })
  },
)

/** What the job is to be that started a pipeline, read under the lock of the job. */
async function statusBelow(tx: Tx, upstreamId: number, id: number): Promise<Mirrored | undefined> {
  await tx.db.selectFrom('pipelines').select('id').where('id', '=', upstreamId).forNoKeyUpdate().execute()
  const found = await tx.db.selectFrom('pipelines').select('status').where('id', '=', id).executeTakeFirst()
  return found && mirrored(found.status)
}

type Mirrored = 'success' | 'failed' | 'canceled' | 'running'

/** What a job is that depends on a pipeline with this status. */
function mirrored(status: CiStatus): Mirrored | undefined {
  if (status === 'skipped') return 'success'
  if (status === 'success' || status === 'failed' || status === 'canceled') return status
  return ended.has(status) ? undefined : 'running'
}
