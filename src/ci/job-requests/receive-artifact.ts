import { digestOf } from '#platform/access/digest.ts'
import { transact } from '#platform/db/transaction.ts'
import { type MultipartBody, receiveMultipart } from '#platform/http/multipart-upload.ts'
import type { JobServices } from '#platform/jobs/task.ts'
import { badRequest } from '#platform/refusals.ts'
import {
  keepArtifact,
  type NewArtifact,
  storeArtifact,
  type StoredArtifact,
} from '../artifacts/store-artifact.ts'
import { COVERAGE_FORMATS, REPORTS } from '../config/reports.ts'
import type { AboutArtifact } from './parameters.ts'
import type { RunningJob } from './running-job.ts'

/** The texts of a body. */
const MOST_FIELDS = 20

/**
 * Streams the artifact of a multipart body into the file store. Its kind may come behind the bytes.
 * @throws 400 for a body that cannot be read or has no file; 413 and 507 as the file store does
 */
export async function receiveArtifact(
  services: JobServices,
  jobId: number,
  body: MultipartBody,
  about: AboutArtifact,
): Promise<StoredArtifact> {
  const { stored, fields } = await receiveMultipart(body, {
    part: 'file',
    fields: MOST_FIELDS,
    store: (content, filename) =>
      storeArtifact(
        services,
        { jobId, type: 'archive', format: 'zip', filename: filename || 'artifacts' },
        content,
      ),
  })
  return { ...stored, ...kindOf({ ...fields, ...definedIn(about) }) }
}

const definedIn = (about: AboutArtifact): Record<string, string> =>
  Object.fromEntries(
    Object.entries(about).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  )

const FORMATS = ['zip', 'gzip', 'raw'] as const
/** One of each is kept: a job cannot fill the store with kinds that it makes up. */
const TYPES: ReadonlySet<string> = new Set(['archive', ...REPORTS, ...COVERAGE_FORMATS])

function kindOf({
  artifact_type: type = 'archive',
  artifact_format: said = 'zip',
  expire_in: expireIn,
}: Record<string, string>): Pick<NewArtifact, 'type' | 'format' | 'expireIn'> {
  const format = FORMATS.find((one) => one === said)
  if (!TYPES.has(type)) throw badRequest('artifact_type is not a known one')
  if (format === undefined) throw badRequest('artifact_format should be zip, gzip or raw')
  if (type === 'archive' && format !== 'zip') throw badRequest('an archive should be a zip')
  return { type, format, ...(expireIn !== undefined && { expireIn }) }
}

/** Gives a stored artifact to its job. @returns whether the job still runs */
export const keepReceived = (
  services: JobServices,
  { id, token }: Pick<RunningJob, 'id' | 'token'>,
  stored: StoredArtifact,
): Promise<boolean> =>
  transact(services, { author: null, ip: null }, async (tx) => {
    const { numUpdatedRows } = await tx.db
      .updateTable('ci_running_jobs')
      .set({ contacted_at: tx.now })
      .where('job_id', '=', id)
      .where('token_digest', '=', digestOf(token))
      .executeTakeFirst()
    if (numUpdatedRows === 0n) return false
    await keepArtifact(tx, stored, services.settings().default_artifacts_expire_in)
    return true
  })
