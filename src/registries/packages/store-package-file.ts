import type { FastifyRequest } from 'fastify'
import { within } from '#platform/files/within.ts'
import { noRoom, roomIn } from './room.ts'

/** Bytes in the file store that a package may have. */
export interface StoredPackageFile {
  readonly fileId: string
  readonly size: number
  readonly md5: Buffer
  readonly sha1: Buffer
  readonly sha256: Buffer
  /** Where the format asks for it. */
  readonly sha512?: Buffer | undefined
}

/**
 * Streams a file of a package of the project that a request names into the file store, with the digests that clients ask for. Call it
 * before the transaction that publishes the file.
 * @param max the largest size in bytes; 0 for none
 * @throws 413 for what is larger, 507 where the store is full, or the project has no room for all of it
 */
export async function storePackageFile(
  req: FastifyRequest,
  content: AsyncIterable<Uint8Array>,
  max: number,
  { sha512: hasSha512 = false }: { readonly sha512?: boolean } = {},
): Promise<StoredPackageFile> {
  const { db, files, settings } = req.server.services
  const limits = settings()
  const room = await roomIn(db, limits, req.project().container.id)
  const bytes = room === Infinity ? content : within(content, room, () => noRoom(limits))
  const options = { max: max === 0 ? Number.MAX_SAFE_INTEGER : max }
  const { file, digests } = hasSha512
    ? await files.storeWithDigests(bytes, options, ['md5', 'sha1', 'sha512'])
    : await files.storeWithDigests(bytes, options, ['md5', 'sha1'])
  return { fileId: file.id, size: file.size, ...digests }
}
