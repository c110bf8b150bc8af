import { once } from 'node:events'
import { PassThrough, type Readable, Writable } from 'node:stream'
import type { Files, StoredFile } from '#platform/files/files.ts'
import { notFound, Unprocessable, unprocessable } from '#platform/refusals.ts'
import { noArchive, zipEntries } from './zip-entries.ts'

/** Bytes of one file, once unpacked. */
const MOST_BYTES = 5 * 1024 * 1024 * 1024

/**
 * Streams one file out of a zip archive of the store: its index is read, and of the rest only that file.
 * @throws 404 where the archive has no such file; 422 for what is no archive
 */
export async function zipEntry(files: Files, file: StoredFile, path: string): Promise<Readable> {
  for await (const entry of zipEntries(files, file)) {
    if (entry.directory || entry.filename !== path) continue
    if (entry.uncompressedSize > MOST_BYTES) throw unprocessable('The file is too large to be unpacked')
    const unpacked = new PassThrough()
    void unpack(() => entry.getData(Writable.toWeb(unpacked)), unpacked)
    try {
      // What is wrong with the beginning can still be answered.
      await once(unpacked, 'readable')
    } catch (error) {
      throw noArchive(error)
    }
    return unpacked
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
