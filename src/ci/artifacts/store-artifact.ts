import type { Readable } from 'node:stream'
import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import type { JobServices } from '#platform/jobs/task.ts'
import { forbidden, notFound } from '#platform/refusals.ts'
import { durationOf } from '../config/durations.ts'

/** What somebody uploads for a job. */
export interface NewArtifact {
  readonly jobId: number
  /** `archive`, or a kind of report such as `junit`. */
  readonly type: string
  readonly format: 'zip' | 'gzip' | 'raw'
  readonly filename: string
  /** As the file says it: `1 week`, `never`; by default as long as the instance keeps them. */
  readonly expireIn?: string | undefined
}

/** An artifact whose bytes are stored. */
export interface StoredArtifact extends NewArtifact {
  readonly fileId: string
  readonly size: number
}

const MEGABYTE = 1024 * 1024

/**
 * Streams an artifact into the file store. Call {@link keepArtifact} for it in a transaction afterwards.
 * @throws 413 for what is larger than the project lets jobs have; 507 where the store is full; 404 when the job is gone
 */
export async function storeArtifact(
  { db, files, settings }: Pick<JobServices, 'db' | 'files' | 'settings'>,
  wanted: NewArtifact,
  content: Readable | Uint8Array,
): Promise<StoredArtifact> {
  const megabytes = await limitOf(db, wanted.jobId, settings().max_artifacts_size)
  const file = await files.store(content, { max: megabytes * MEGABYTE })
  return { ...wanted, fileId: file.id, size: file.size }
}

async function limitOf(db: Db, jobId: number, ofInstance: number): Promise<number> {
  const { settings } = await db
    .selectFrom('ci_jobs as j')
    .innerJoin('projects as p', 'p.id', 'j.project_id')
    .select('p.settings')
    .where('j.id', '=', jobId)
    .executeTakeFirstOrThrow(() => notFound())
  const own =
    typeof settings === 'object' && settings !== null && !Array.isArray(settings)
      ? settings['max_artifacts_size']
      : null
  return typeof own === 'number' && own > 0 ? own : ofInstance
}

/**
 * Gives a job a stored artifact, in the place of an earlier one of that kind.
 * @param standard how long artifacts are kept that say nothing, as the instance has it
 * @throws 403 for a job that was erased; 404 when it is gone
 */
export async function keepArtifact(tx: Tx, artifact: StoredArtifact, standard: string): Promise<void> {
  const { jobId, type, format, filename, expireIn, fileId, size } = artifact
  const job = await tx.db
    .selectFrom('ci_jobs')
    .select(['project_id', 'erased_at'])
    .where('id', '=', jobId)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow(() => notFound())
  if (job.erased_at !== null) throw forbidden('Job has been erased!')
  await tx.db
    .deleteFrom('ci_job_artifacts')
    .where('job_id', '=', jobId)
    .where('file_type', '=', type)
    .execute()
  await tx.db
    .insertInto('ci_job_artifacts')
    .values({
      project_id: job.project_id,
      job_id: jobId,
      file_id: fileId,
      file_type: type,
      file_format: format,
      filename: filename.slice(0, 255),
      size,
      expire_at: endOf(expireIn ?? standard, tx.now),
      created_at: tx.now,
    })
    .execute()
}

/** When something ends that is kept so long; null for never. */
function endOf(time: string, now: string): string | null {
  const seconds = time.trim() === 'never' ? 0 : durationOf(time)
  if (seconds === undefined || seconds === 0) return null
  return new Date(Date.parse(now) + seconds * 1000).toISOString()
}
