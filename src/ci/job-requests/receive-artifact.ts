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
import type { RunningJob } from './running-job.ts'

/** What comes with the bytes of an artifact, in the query or behind them. */
export interface AboutArtifact {
  readonly artifact_type?: string | undefined
  readonly artifact_format?: string | undefined
  readonly expire_in?: string | undefined
}

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
  if (contentType === undefined || !/^multipart\/form-data\s*;.*boundary=/i.test(contentType))
    throw badRequest('the body should be multipart/form-data with the part file')
  const reader = new Busboy({ headers: { 'content-type': contentType }, limits: LIMITS })
  const fields: Record<string, string> = {}
  let storing: Promise<StoredArtifact> | undefined
  let refusal: unknown
  /** The first cause counts: others follow from it. */
  const stop = (error: unknown): void => {
    refusal ??= error
    body.stream.destroy(error instanceof Error ? error : undefined)
  }
  body.stream.once('error', stop)
  reader.on('field', (name, value) => {
    if (typeof value === 'string') fields[name] = value
  })
  const open: Readable[] = []
  reader.on('file', (name, file, filename) => {
    open.push(file)
    // When a body ends inside a file, only the file's stream gets the error.
    file.on('error', () => stop(unreadable()))
    if (name !== 'file' || storing !== undefined) {
      if (name === 'file') stop(badRequest('there is more than one file'))
      file.resume()
      return
    }
    const wanted: NewArtifact = { jobId, type: 'archive', format: 'zip', filename: nameOf(filename) }
    storing = storeArtifact(services, wanted, file)
    // What the file store refuses ends the body, too: nobody has to send the rest.
    storing.catch(stop)
  })
  for (const limit of ['filesLimit', 'fieldsLimit', 'partsLimit'] as const)
    reader.on(limit, () => stop(badRequest('the body has too many parts')))
  try {
    await pipeline(body.stream, reader)
  } catch {
    refusal ??= unreadable()
    for (const file of open) file.destroy()
    await storing?.catch(() => {})
  }
  if (refusal !== undefined) throw refusal
  if (storing === undefined) throw badRequest('file is missing')
  const stored = await storing
  return { ...stored, ...kindOf({ ...fields, ...definedIn(about) }) }
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

function kindOf({
  artifact_type: type = 'archive',
  artifact_format: said = 'zip',
  expire_in: expireIn,
}: Record<string, string>): Pick<NewArtifact, 'type' | 'format' | 'expireIn'> {
  const format = FORMATS.find((one) => one === said)
  if (!/^[a-z][a-z0-9_]{0,49}$/.test(type) || type === 'trace')
    throw badRequest('artifact_type is not a known one')
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
