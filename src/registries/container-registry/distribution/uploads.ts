import { sql } from 'kysely'
import { newId } from '#platform/files/rows.ts'
import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import type { Files, StoredFile } from '#platform/files/files.ts'
import { RegistryError } from '../../oci/errors.ts'

/** A blob that is being sent: `size` bytes of it have come. */
export interface Upload {
  readonly id: string
  readonly size: number
  readonly pieces: number
}

/** Pieces in which a blob may come. */
const MOST_PIECES = 10_000
/** Blobs that are being sent to a repository at the same time, begun ones that nobody goes on with included. */
const MOST_UPLOADS = 1_000

export const uploadUnknown = () =>
  new RegistryError(404, 'BLOB_UPLOAD_UNKNOWN', 'blob upload unknown to registry')

/** Begins to receive a blob. @throws 429 when too many were begun and not ended */
export async function beginUpload(tx: Tx, repositoryId: number): Promise<Upload> {
  const { count } = await tx.db
    .selectFrom('container_uploads')
    .select((q) => q.fn.countAll<number>().as('count'))
    .where('repository_id', '=', repositoryId)
    .executeTakeFirstOrThrow()
  if (count >= MOST_UPLOADS)
    throw new RegistryError(429, 'TOOMANYREQUESTS', 'too many uploads to this repository were not ended', {
      'retry-after': '60',
    })
  const upload = { id: newId(tx.random), size: 0, pieces: 0 }
  await tx.db
    .insertInto('container_uploads')
    .values({ ...upload, repository_id: repositoryId, created_at: tx.now, updated_at: tx.now })
    .execute()
  return upload
}

/** @throws 404 for an upload that is not there, or of another repository */
export async function findUpload(db: Db, repositoryId: number, id: string): Promise<Upload> {
  return db
    .selectFrom('container_uploads')
    .select(['id', 'size', 'pieces'])
    .where('id', '=', id)
    .where('repository_id', '=', repositoryId)
    .executeTakeFirstOrThrow(uploadUnknown)
}

/** Adds a piece behind those that came before. @param upload as it was when the piece began @throws 416 when another came meanwhile */
export async function addPiece(tx: Tx, upload: Upload, file: StoredFile): Promise<Upload> {
  const now = await tx.db
    .selectFrom('container_uploads')
    .select(['id', 'size', 'pieces'])
    .where('id', '=', upload.id)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow(uploadUnknown)
  if (now.size !== upload.size || now.pieces !== upload.pieces) throw new OutOfOrder(now)
  if (now.pieces >= MOST_PIECES)
    throw new RegistryError(400, 'BLOB_UPLOAD_INVALID', `a blob comes in at most ${MOST_PIECES} pieces`)
  const grown = { id: now.id, size: now.size + file.size, pieces: now.pieces + 1 }
  await tx.db
    .insertInto('container_upload_pieces')
    .values({ upload_id: now.id, position: now.pieces, file_id: file.id })
    .execute()
  await tx.db
    .updateTable('container_uploads')
    .set({ size: grown.size, pieces: grown.pieces, updated_at: tx.now })
    .where('id', '=', now.id)
    .execute()
  return grown
}

/** A piece does not begin where the one before it has ended. */
export class OutOfOrder extends Error {
  override readonly name = 'OutOfOrder'
  readonly upload: Upload
  constructor(upload: Upload) {
    super('the piece does not follow the one before it')
    this.upload = upload
  }
}

/** @returns whether it was there */
export async function removeUpload(tx: Tx, id: string): Promise<boolean> {
  const { numDeletedRows } = await tx.db
    .deleteFrom('container_uploads')
    .where('id', '=', id)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/**
 * Makes one file of the pieces of an upload and what comes last. A blob that came in one piece is that file already.
 * @param last the rest, which may be nothing
 * @param hex the digest that it must have
 */
export async function joined(
  { db, files }: { readonly db: Db; readonly files: Files },
  upload: Upload,
  {
    last,
    hex,
    max,
  }: { readonly last: AsyncIterable<Uint8Array> | undefined; readonly hex: string; readonly max: number },
): Promise<StoredFile> {
  const pieces = await piecesOf(db, upload.id)
  const [only] = pieces
  if (last === undefined && only !== undefined && pieces.length === 1 && only.sha256 === hex) return only
  return files.store(concatenated(files, pieces, last), { max, sha256: hex })
}

async function piecesOf(db: Db, id: string): Promise<StoredFile[]> {
  const { rows } = await sql<StoredFile>`
    select f.id, f.storage, f.key, encode(f.sha256, 'hex') as sha256, f.size, f.media_type as "mediaType"
    from container_upload_pieces p join files f on f.id = p.file_id
    where p.upload_id = ${id} order by p.position limit ${MOST_PIECES}`.execute(db)
  return rows
}

async function* concatenated(
  files: Files,
  pieces: readonly StoredFile[],
  last: AsyncIterable<Uint8Array> | undefined,
): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) {
    const bytes = await files.read(piece)
    if (bytes === undefined) throw uploadUnknown()
    yield* bytes
  }
  if (last !== undefined) yield* last
}
