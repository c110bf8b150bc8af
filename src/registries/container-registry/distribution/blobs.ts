import { sql } from 'kysely'
import type { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import type { StoredFile } from '#platform/files/files.ts'
import { rangeOf } from '#platform/files/send-file.ts'
import { isKnown, sendHead } from '#platform/http/headers.ts'
import { RegistryError } from '../../oci/errors.ts'

export interface Blob {
  readonly id: number
  readonly file: StoredFile
}

export const blobUnknown = () => new RegistryError(404, 'BLOB_UNKNOWN', 'blob unknown to registry')

/** How old the note may be that says when a blob was last asked for, in hours: it is not written for each request. */
const TOUCH = sql`interval '1 hour'`

/**
 * A blob of a repository. Whoever asks may be about to name it in a manifest instead of sending it again, so it counts as
 * just used and no clean-up takes it for a day.
 */
export async function findBlob(
  db: Db,
  { repositoryId, hex, now }: { readonly repositoryId: number; readonly hex: string; readonly now: string },
): Promise<Blob | undefined> {
  const digest = Buffer.from(hex, 'hex')
  const { rows } = await sql<StoredFile & { blob: number; old: boolean }>`
    select b.id as blob, b.touched_at < ${now}::timestamptz - ${TOUCH} as old,
      f.id, f.storage, f.key, encode(f.sha256, 'hex') as sha256, f.size, f.media_type as "mediaType"
    from container_blobs b join files f on f.id = b.file_id
    where b.repository_id = ${repositoryId} and b.digest = ${digest}`.execute(db)
  const [found] = rows
  if (found === undefined) return undefined
  const { blob: id, old, ...file } = found
  if (old && !(await touch(db, id, now))) return undefined
  return { id, file }
}

/** @returns whether it is still there: a clean-up may have been faster */
async function touch(db: Db, id: number, now: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('container_blobs')
    .set({ touched_at: now })
    .where('id', '=', id)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Gives a repository a blob, whose bytes the caller has proved to have. */
export async function keepBlob(tx: Tx, repositoryId: number, file: StoredFile): Promise<void> {
  await tx.db
    .insertInto('container_blobs')
    .values({
      repository_id: repositoryId,
      digest: Buffer.from(file.sha256, 'hex'),
      file_id: file.id,
      size: file.size,
      touched_at: tx.now,
    })
    .onConflict((conflict) =>
      conflict.columns(['repository_id', 'digest']).doUpdateSet({ touched_at: tx.now }),
    )
    .execute()
}

/** Answers with the bytes of something that its digest names, or a part of them. */
export async function sendBytes(
  req: FastifyRequest,
  reply: FastifyReply,
  file: StoredFile,
  mediaType = 'application/octet-stream',
): Promise<Readable | undefined> {
  const digest = `sha256:${file.sha256}`
  const etag = `"${digest}"`
  reply.headers({
    etag,
    'docker-content-digest': digest,
    'cache-control': 'private, max-age=31536000, immutable',
    'accept-ranges': 'bytes',
  })
  if (isKnown(req, etag)) return sendHead(reply.code(304))
  reply.header('content-type', mediaType)
  if (req.method === 'HEAD') return sendHead(reply.header('content-length', file.size))
  const { files } = req.server.services
  const url = await files.signedUrl(file, { mediaType, disposition: 'attachment' })
  if (url !== undefined) {
    reply.redirect(url, 307)
    return undefined
  }
  const range = rangeOf(req, etag, file.size)
  const { start, end } = range ?? { start: 0, end: file.size - 1 }
  const bytes = await files.read(file, range)
  if (bytes === undefined) throw blobUnknown()
  reply.header('content-length', end - start + 1)
  if (range !== undefined) reply.code(206).header('content-range', `bytes ${start}-${end}/${file.size}`)
  return bytes
}

/** @throws 404 for a blob that is not there, 405 for one that a manifest names */
export async function deleteBlob(tx: Tx, repositoryId: number, hex: string): Promise<void> {
  const found = await tx.db
    .selectFrom('container_blobs as b')
    .select(['b.id', namedBy('b.id').as('named')])
    .where('b.repository_id', '=', repositoryId)
    .where('b.digest', '=', Buffer.from(hex, 'hex'))
    .forUpdate('b')
    .executeTakeFirst()
  if (found === undefined) throw blobUnknown()
  if (found.named)
    throw new RegistryError(405, 'UNSUPPORTED', 'a manifest names this blob: delete the manifest first')
  await tx.db.deleteFrom('container_blobs').where('id', '=', found.id).execute()
}

/** Whether a manifest names the blob with the id in a column. */
export const namedBy = (id: string) =>
  sql<boolean>`exists (select from container_manifest_blobs m where m.blob_id = ${sql.ref(id)})`
