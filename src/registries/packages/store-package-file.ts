import { createHash } from 'node:crypto'
import type { Files } from '#platform/files/files.ts'

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
 * Streams a file of a package into the file store, with the digests that clients ask for. Call it before the transaction that publishes
 * the file.
 * @param max the largest size in bytes; 0 for none
 * @throws 413 for what is larger, 507 where the store is full
 */
export async function storePackageFile(
  files: Files,
  content: AsyncIterable<Uint8Array> | Uint8Array,
  max: number,
  { sha512: hasSha512 = false }: { readonly sha512?: boolean } = {},
): Promise<StoredPackageFile> {
  const [md5, sha1] = [createHash('md5'), createHash('sha1')]
  const sha512 = hasSha512 ? createHash('sha512') : undefined
  async function* hashed() {
    for await (const chunk of content instanceof Uint8Array ? [content] : content) {
      md5.update(chunk)
      sha1.update(chunk)
      sha512?.update(chunk)
      yield chunk
    }
  }
  const { id, size, sha256 } = await files.store(hashed(), { max: max === 0 ? Number.MAX_SAFE_INTEGER : max })
  return {
    fileId: id,
    size,
    md5: md5.digest(),
    sha1: sha1.digest(),
    sha256: Buffer.from(sha256, 'hex'),
    sha512: sha512?.digest(),
  }
}
