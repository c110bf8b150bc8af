import { once } from 'node:events'
import { PassThrough, type Readable, Writable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { Files, StoredFile } from '#platform/files/files.ts'
import { notFound, Refusal, Unprocessable, unprocessable } from '#platform/refusals.ts'
import { zipLibrary } from '#platform/zip-library.ts'

/** Entries of an archive that are looked through. */
const MOST_ENTRIES = 200_000
/** Bytes of an archive that are read at once: its index is, as a whole. */
const MOST_AT_ONCE = 64 * 1024 * 1024
/** Bytes of one file, once unpacked. */
const MOST_BYTES = 5 * 1024 * 1024 * 1024

/**
 * Streams one file out of a zip archive of the store: its index is read, and of the rest only that file.
 * @throws 404 where the archive has no such file; 422 for what is no archive
 */
export async function zipEntry(files: Files, file: StoredFile, path: string): Promise<Readable> {
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
  const zip = new ZipReader(stored)
  let looked = 0
  try {
    for await (const entry of zip.getEntriesGenerator()) {
      looked += 1
      if (looked > MOST_ENTRIES) break
      if (entry.directory || entry.filename !== path) continue
      if (entry.uncompressedSize > MOST_BYTES) throw unprocessable('The file is too large to be unpacked')
      const unpacked = new PassThrough()
      void unpack(() => entry.getData(Writable.toWeb(unpacked)), unpacked)
      // What is wrong with the beginning can still be answered.
      await once(unpacked, 'readable')
      return unpacked
    }
  } catch (error) {
    if (error instanceof Refusal) throw error
    throw new Unprocessable('The artifacts are no zip archive', { cause: error })
  }
  throw notFound()
}

async function unpack(work: () => Promise<unknown>, into: PassThrough): Promise<void> {
  try {
    await work()
  } catch (error) {
    into.destroy(new Unprocessable('The artifacts are no zip archive', { cause: error }))
  }
}
