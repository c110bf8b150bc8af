import { sql } from 'kysely'
import { Type } from 'typebox'
import { daily } from '#platform/jobs/schedule.ts'
import { defineTask } from '#platform/jobs/task.ts'
import { NotFound } from '#platform/refusals.ts'
import { deletePipeline } from './delete-pipeline.ts'

/** Pipelines of one project that are looked at, the oldest first, before the others have their turn. */
const AT_ONCE = 100

/** Deletes pipelines that are older than their project keeps them (`ci_delete_pipelines_in_seconds`). Each is a transaction of its own. */
export const deleteOldPipelines = defineTask(
  'ci.delete-old-pipelines',
  'long',
  Type.Object({}),
  async (_, job) => {
    for (let found = 1; found > 0 && !job.signal.aborted;) {
      const { rows } = await sql<{ id: number }>`
      select o.id from projects r cross join lateral (
        select p.id, p.created_at from pipelines p where p.project_id = r.id and not p.is_child order by p.id limit ${AT_ONCE}
      ) as o
      where (r.settings ->> 'ci_delete_pipelines_in_seconds') is not null
        and o.created_at < ${job.clock.now().toISOString()}::timestamptz
          - make_interval(secs => (r.settings ->> 'ci_delete_pipelines_in_seconds')::integer)
      order by o.id limit ${AT_ONCE}`.execute(job.db)
      for (const { id } of rows) {
        if (job.signal.aborted) return
        await job.transact((tx) => deletePipeline(tx, id)).catch(unlessGone)
      }
      found = rows.length
    }
  },
)

/** Somebody was faster. */
function unlessGone(error: unknown): void {
  if (!(error instanceof NotFound)) throw error
}

export const retention = daily('03:40', deleteOldPipelines, {})
