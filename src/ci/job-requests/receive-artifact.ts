import { Busboy } from '@fastify/busboy'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { digestOf } from '#platform/access/digest.ts'
import { transact } from '#platform/db/transaction.ts'
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

/** What is in a body: one file, what `metadata` says of it, which is not kept, and some short texts. */
const LIMITS = { files: 3, fields: 20, fieldSize: 4_096, parts: 23, headerPairs: 20 }

/**
 * Streams the artifact of a multipart body into the file store. Its kind may come behind the bytes.
 * @throws 400 for a body that cannot be read or has no file; 413 and 507 as the file store does
 */
export async function receiveArtifact(
  services: JobServices,
  jobId: number,
  body: { readonly stream: Readable; readonly contentType: string | undefined },
  about: AboutArtifact,
): Promise<StoredArtifact> {
  const { contentType } = body
  if (contentType === undefined || !/^multipart\/form-data\s*;.*boundary="?[^"\s;]/i.test(contentType))
    throw badRequest('the body should be multipart/form-data with the part file')
  const reader = new Busboy({ headers: { 'content-type': contentType }, limits: LIMITS })
  const fields: Record<string, string> = {}
  let storing: Promise<StoredArtifact> | undefined
  const open: Readable[] = []
  // What follows from the first cause is no cause. The sender may still be about to send: nobody waits for that.
  const { promise: stopped, reject: stop } = Promise.withResolvers<never>()
  stopped.catch(() => {})
  body.stream.on('error', stop)
  reader.on('error', () => stop(unreadable()))
  reader.on('field', (name, value) => {
    if (typeof value === 'string') fields[name] = value
  })
  reader.on('file', (name, file, filename) => {
    open.push(file)
    // Whatever it is, it follows from something else.
    file.on('error', () => {})
    if (name !== 'file' || storing !== undefined) {
      if (name === 'file') stop(badRequest('there is more than one file'))
      file.resume()
      return
    }
    const wanted: NewArtifact = { jobId, type: 'archive', format: 'zip', filename: nameOf(filename) }
    storing = storeArtifact(services, wanted, file)
    storing.catch(stop)
  })
  for (const limit of ['filesLimit', 'fieldsLimit', 'partsLimit'] as const)
    reader.on(limit, () => stop(badRequest('the body has too many parts')))
  const read = pipeline(body.stream, reader)
  read.catch(() => stop(unreadable()))
  try {
    await Promise.race([stopped, read])
    if (storing === undefined) throw badRequest('file is missing')
    const stored = await Promise.race([stopped, storing])
    return { ...stored, ...kindOf({ ...fields, ...definedIn(about) }) }
  } catch (error) {
    for (const stream of [body.stream, ...open]) stream.destroy()
    await storing?.catch(() => {})
    throw error
  }
}

const unreadable = () => badRequest('the body cannot be read as multipart/form-data')

/** The last part of a name, whatever a client says: it is shown, and never a path here. */
const nameOf = (filename: string | undefined): string =>
  (filename ?? '').split(/[/\\]/).at(-1)?.replaceAll('\0', '').slice(0, 255) || 'artifacts'

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
