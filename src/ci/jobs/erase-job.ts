import { sql } from 'kysely'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { forbidden, notFound } from '#platform/refusals.ts'
import { aboutPipeline } from '../pipelines/about-pipeline.ts'
import { ended } from './statuses.ts'

/** Removes the log and the artifacts of a job. @throws 403 for a job that has not ended; 404 when it is gone */
export async function eraseJob(tx: Tx, id: number): Promise<void> {
  const job = await tx.db
    .selectFrom('ci_jobs')
    .select(['id', 'pipeline_id', 'name', 'stage', 'status'])
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow(() => notFound())
  if (!ended.has(job.status)) throw forbidden('Job is not erasable!')
  await sql`delete from ci_job_log_pieces where job_id = ${id}`.execute(tx.db)
  await tx.db.deleteFrom('ci_job_artifacts').where('job_id', '=', id).execute()
  await tx.db
    .updateTable('ci_jobs')
    .set({ erased_at: tx.now, updated_at: tx.now })
    .where('id', '=', id)
    .execute()
  const pipeline = await tx.db
    .selectFrom('pipelines')
    .select(['id', 'project_id', 'iid', 'ref', 'sha', 'source', 'merge_request_id'])
    .where('id', '=', job.pipeline_id)
    .executeTakeFirstOrThrow()
  const { namespace } = await aboutPipeline(tx, pipeline)
  record(tx, {
    name: 'job erased',
    namespace,
    target: { type: 'Job', id },
    details: { pipeline_id: job.pipeline_id, job: job.name, stage: job.stage },
  })
}
