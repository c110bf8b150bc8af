import { sql } from 'kysely'
import type { KeptCommit } from '#code/jobs/entity.ts'
import type { Db } from '#platform/db/pool.ts'
import { definitionColumn, type JobDefinition } from '../jobs/definition.ts'

/** A job that a runner is about to get, with its pipeline. */
export interface JobToGive {
  readonly id: number
  readonly name: string
  readonly stage: string
  readonly stage_index: number
  readonly project_id: number
  readonly pipeline_id: number
  readonly user_id: number | null
  readonly environment: string | null
  readonly run_when: string
  readonly queued_at: string | null
  /** Seconds. */
  readonly timeout: number
  readonly definition: JobDefinition
  readonly pipeline: JobPipeline
}

interface JobPipeline {
  readonly id: number
  readonly iid: number
  readonly name: string | null
  readonly source: string
  /** `main`, or `refs/merge-requests/1/head`. */
  readonly ref: string
  readonly tag: boolean
  readonly protected: boolean
  readonly sha: string
  readonly before_sha: string
  readonly commit: KeptCommit | null
  readonly merge_request_id: number | null
  readonly schedule_id: number | null
  readonly created_at: string
}

/** Reads a job that waits for a runner, or that one has; undefined when it is not in that state. */
export const readJobToGive = (
  db: Db,
  id: number,
  status: 'pending' | 'running',
): Promise<JobToGive | undefined> =>
  db
    .selectFrom('ci_jobs as j')
    .innerJoin('ci_job_definitions as d', 'd.id', 'j.definition_id')
    .innerJoin('pipelines as p', 'p.id', 'j.pipeline_id')
    .select([
      'j.id',
      'j.name',
      'j.stage',
      'j.stage_index',
      'j.project_id',
      'j.pipeline_id',
      'j.user_id',
      'j.environment',
      'j.run_when',
      'j.queued_at',
      'j.timeout',
      definitionColumn.as('definition'),
      sql<JobPipeline>`json_build_object('id', p.id, 'iid', p.iid, 'name', p.name, 'source', p.source, 'ref', p.ref, 'tag', p.tag,
        'protected', p.protected, 'sha', p.sha, 'before_sha', p.before_sha, 'commit', p.commit,
        'merge_request_id', p.merge_request_id, 'schedule_id', p.schedule_id, 'created_at', p.created_at)`.as(
        'pipeline',
      ),
    ])
    .where('j.id', '=', id)
    .where('j.status', '=', status)
    .where('j.bridge', '=', false)
    .executeTakeFirst()
