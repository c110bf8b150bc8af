import { sql } from 'kysely'
import { accounts, users, type UserRow } from '#identity/users/queries.ts'
import { isAnyOf } from '#platform/db/any-of.ts'
import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { pipelineBasicJson } from '../pipelines/entity.ts'
import { artifactsJson, type JobRow, type KeptCommit } from './entity.ts'
import { runnerJson, runnerManagerJson } from './runner.ts'

/** Sub-selects rather than joins, so that totals, which drop the columns, read only jobs. */
const ofPipeline = {
  tag: sql<boolean>`(select p.tag from pipelines p where p.id = j.pipeline_id)`,
  commit: sql<KeptCommit | null>`(select p.commit from pipelines p where p.id = j.pipeline_id)`,
  pipeline: sql<
    JobRow['pipeline']
  >`(select ${pipelineBasicJson('p')} from pipelines p where p.id = j.pipeline_id)`,
  downstream: sql<JobRow['downstream']>`(
    select (${pipelineBasicJson('p')})::jsonb || jsonb_build_object('full_path', n.full_path)
    from pipelines p join projects r on r.id = p.project_id join namespaces n on n.id = r.project_namespace_id
    where j.bridge and p.upstream_job_id = j.id order by p.id desc limit 1)`,
}

/** Jobs with everything that answers show. */
export const jobs = (db: Db | Tx['db']) =>
  db
    .selectFrom('ci_jobs as j')
    .select([
      'j.id',
      'j.pipeline_id',
      'j.project_id',
      'j.name',
      'j.stage',
      'j.status',
      'j.bridge',
      'j.allow_failure',
      'j.tags',
      'j.needs',
      'j.user_id',
      'j.failure_reason',
      'j.coverage',
      'j.created_at',
      'j.queued_at',
      'j.started_at',
      'j.finished_at',
      'j.erased_at',
      ofPipeline.tag.as('tag'),
      ofPipeline.commit.as('commit'),
      ofPipeline.pipeline.as('pipeline'),
      ofPipeline.downstream.as('downstream'),
      artifactsJson.as('artifacts'),
      runnerJson.as('runner'),
      runnerManagerJson.as('runner_manager'),
    ])

/** The accounts of those who started some jobs, by id: one statement. */
export async function usersOf(db: Db, rows: readonly JobRow[]): Promise<ReadonlyMap<number, UserRow>> {
  const ids = new Set(rows.flatMap(({ user_id }) => (user_id === null ? [] : [user_id])))
  if (ids.size === 0) return new Map()
  const found = await accounts(users(db).where(isAnyOf('u.id', ids))).execute()
  return new Map(found.map((row) => [row.id, row]))
}
