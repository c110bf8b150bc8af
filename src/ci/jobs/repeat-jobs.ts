import { sql } from 'kysely'
import { isAnyOf } from '#platform/db/any-of.ts'
import { recordset } from '#platform/db/recordset.ts'
import type { CiStatus } from '#platform/db/schema.ts'
import type { Tx } from '#platform/db/transaction.ts'
import type { EngineJob } from './rows.ts'

/** Jobs, with new runs in the places of some. */
interface RepeatedJobs {
  readonly jobs: readonly EngineJob[]
  /** The ids of the new runs, by those of the old ones. */
  readonly repeated: ReadonlyMap<number, number>
}

/**
 * Makes new runs of jobs.
 * @param repeat the status that each new run begins with, by the id of the job
 */
export async function repeatJobs(
  tx: Tx,
  jobs: readonly EngineJob[],
  repeat: ReadonlyMap<number, CiStatus>,
): Promise<RepeatedJobs> {
  if (repeat.size === 0) return { jobs, repeated: new Map() }
  const ids = [...repeat.keys()]
  await sql`update ci_jobs set retried = true, updated_at = ${tx.now} where ${isAnyOf('id', ids)}`.execute(
    tx.db,
  )
  const wanted = [...repeat].map(([id, status]) => ({ id, status }))
  const { rows } = await sql<{ id: number; former: number; queued_at: string | null }>`
    with made as materialized (
      select nextval('commit_statuses_id_seq') as made_id, w.id as former, w.status
        from (select id, status from ${recordset('ci_jobs', wanted)} order by id) as w
    ), inserted as (
      insert into ci_jobs (id, project_id, pipeline_id, definition_id, bridge, name, stage, stage_index, status, run_when,
          allow_failure, interruptible, environment, start_in, needs, tags, resource_group, user_id, timeout, created_at, updated_at,
          queued_at, ref_protected, needed_features)
        select made_id, j.project_id, pipeline_id, definition_id, bridge, name, stage, stage_index, made.status, run_when, allow_failure,
            interruptible, environment, start_in, needs, tags, resource_group, coalesce(${tx.author?.id ?? null}::bigint, user_id),
            timeout, ${tx.now}::timestamptz, ${tx.now}::timestamptz,
            case when made.status = 'pending' then ${tx.now}::timestamptz end, ref_protected, needed_features
          from made join ci_jobs j on j.id = made.former
    )
    select made_id as id, former from made`.execute(tx.db)
  const repeated = new Map(rows.map(({ id, former }) => [former, id]))
  const after = jobs.map((job): EngineJob => {
    const id = repeated.get(job.id)
    const status = repeat.get(job.id)
    if (id === undefined || status === undefined) return job
    return {
      ...job,
      id,
      status,
      user_id: tx.author?.id ?? job.user_id,
      deployment_id: null,
      failure_reason: null,
      coverage: null,
      scheduled_at: null,
      queued_at: status === 'pending' ? tx.now : null,
      started_at: null,
      finished_at: null,
    }
  })
  return { jobs: after, repeated }
}
