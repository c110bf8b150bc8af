import type { Readable } from 'node:stream'

/**
 * Files that people give us, kept outside of the database under keys that we make. What is stored under a key never
 * changes: who replaces a file stores another, and points to that. So a row that is committed names a file that is
 * whole, whatever fails; a file that no row names any more is removed by a daily job.
 */
export interface Blobs {
  /** Stores a file for good, under a new key. To be done before the transaction that points to it. */
  put(folder: BlobFolder, data: Buffer): Promise<string>
  /** The file as a stream; undefined when there is none. */
  get(key: string): Promise<Readable | undefined>
  /** How many bytes a file has; undefined when there is none. */
  size(key: string): Promise<number | undefined>
  /** Removes a file; none is as well. */
  delete(key: string): Promise<void>
  /** The keys of all files, those of files half written too, with when they were written. */
  list(): AsyncIterable<StoredBlob>
  /** Removes all files: for tests. */
  clear(): Promise<void>
}

/** The kinds of files. */
export type BlobFolder = 'avatars'

export interface StoredBlob {
  readonly key: string
  readonly storedAt: Date
}
