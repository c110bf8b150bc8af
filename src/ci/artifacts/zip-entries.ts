import type { Entry } from '@zip.js/zip.js'
import { buffer } from 'node:stream/consumers'
import type { Files, StoredFile } from '#platform/files/files.ts'
import { notFound, Refusal, Unprocessable, unprocessable } from '#platform/refusals.ts'
import { zipLibrary } from '#platform/zip-library.ts'

/** Entries of an archive that are looked through. */
const MOST_ENTRIES = 200_000
/** Bytes of an archive that are read at once: its index is, as a whole. */
const MOST_AT_ONCE = 64 * 1024 * 1024

/**
 * The entries of a zip archive of the store, as its index lists them: nothing else of it is read.
 * @throws 422 for what is no archive
 */
export async function* zipEntries(files: Files, file: StoredFile): AsyncGenerator<Entry> {
  const { Reader, ZipReader } = await zipLibrary()

  class StoredReader extends Reader<StoredFile> {
    override async readUint8Array(start: number, length: number): Promise<Uint8Array<ArrayBuffer>> {
      if (length === 0) return new Uint8Array()
      if (length > MOST_AT_ONCE) throw unprocessable('The archive has too many files to be read')
      const end = Math.min(start + length, file.size) - 1
      const stream = await files.read(file, { start, end })
      if (stream === undefined) throw notFound()
      return new Uint8Array(await buffer(stream))
    }
  }
  const stored = new StoredReader(file)
  stored.size = file.size
  let looked = 0
  try {
    for await (const entry of new ZipReader(stored).getEntriesGenerator()) {
      looked += 1
      if (looked > MOST_ENTRIES) return
      yield entry
    }
  } catch (error) {
    throw noArchive(error)
  }
}

/** What is thrown where an archive cannot be read. */
export const noArchive = (error: unknown): unknown =>
  error instanceof Refusal ? error : new Unprocessable('The artifacts are no zip archive', { cause: error })
