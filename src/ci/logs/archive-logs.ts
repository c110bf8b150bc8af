import { isAnyOf } from '#platform/db/any-of.ts'
import { defineTask, type JobContext } from '#platform/jobs/task.ts'
import { ended } from '../jobs/statuses.ts'
import { archiveLogsLater } from '../pipelines/later.ts'
import { MOST_BYTES } from './append-log.ts'
import { logPieces } from './read-log.ts'

/** Makes files of the logs of jobs that have ended. */
export const archiveLogs = defineTask(
  archiveLogsLater.name,
  'short',
  archiveLogsLater.payload,
  async ({ pipeline_id }, job) => {
    const rows = await job.db
      .selectFrom('ci_jobs as j')
      .select(['j.id', 'j.project_id'])
      .where('j.pipeline_id', '=', pipeline_id)
      .where('j.status', 'in', [...ended])
      .where((is) =>
        is.exists(
          is.selectFrom('ci_job_log_pieces as l').select('l.start').whereRef('l.job_id', '=', 'j.id'),
        ),
      )
      .orderBy('j.id')
      .execute()
    for (const row of rows) await archive(job, row)
  },
)

interface Ended {
  readonly id: number
  readonly project_id: number
}

async function archive({ db, files, transact }: JobContext, { id, project_id }: Ended): Promise<void> {
  const file = await files.store(logPieces(db, id), { max: MOST_BYTES * 2, mediaType: 'text/plain' })
  await transact(async (tx) => {
    const job = await tx.db
      .selectFrom('ci_jobs')
      .select(['id', 'erased_at'])
      .where('id', '=', id)
      .forNoKeyUpdate()
      .executeTakeFirst()
    if (job === undefined) return
    await tx.db
      .deleteFrom('ci_job_log_pieces')
      .where(isAnyOf('job_id', [id]))
      .execute()
    if (job.erased_at !== null) return
    await tx.db
      .insertInto('ci_job_artifacts')
      .values({
        project_id,
        job_id: id,
        file_id: file.id,
        file_type: 'trace',
        file_format: 'raw',
        filename: 'job.log',
        size: file.size,
        created_at: tx.now,
      })
      .onConflict((conflict) => conflict.columns(['job_id', 'file_type']).doNothing())
      .execute()
  })
}
