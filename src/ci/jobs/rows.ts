import type { Selectable } from 'kysely'
import type { CiJobs } from '#platform/db/schema.ts'
import type { Tx } from '#platform/db/transaction.ts'

/** What the engine reads and writes of a job. */
export const engineColumns = [
  'id',
  'name',
  'stage',
  'stage_index',
  'status',
  'run_when',
  'allow_failure',
  'interruptible',
  'bridge',
  'needs',
  'environment',
  'start_in',
  'deployment_id',
  'resource_group',
  'user_id',
  'failure_reason',
  'coverage',
  'scheduled_at',
  'queued_at',
  'started_at',
  'finished_at',
] as const

export type EngineJob = Pick<Selectable<CiJobs>, (typeof engineColumns)[number]>

/** The jobs of a pipeline that no later run has replaced. Lock the pipeline before. */
export const currentJobs = (tx: Tx, pipelineId: number): Promise<EngineJob[]> =>
  tx.db
    .selectFrom('ci_jobs')
    .select(engineColumns)
    .where('pipeline_id', '=', pipelineId)
    .where('retried', '=', false)
    .orderBy('id')
    .execute()
