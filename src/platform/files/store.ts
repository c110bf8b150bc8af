import type { Readable } from 'node:stream'
import type { FileStorage } from '#platform/db/schema.ts'

export type Storage = FileStorage

/** Bytes of a file from `start` to `end`, both included, counted from 0. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/** The headers of a signed URL's answer. */
export interface SignedAnswer {
  readonly mediaType: string
  readonly disposition: string
}

/** Where bytes are: the disk or S3. A store knows nothing of the database. Every write uses a new key. */
export interface Store {
  /**
   * Stores bytes durably: once it resolves, a crash of the machine does not lose them.
   * @throws {StoreUnavailable} or {StoreFull}; part of the bytes may be there then. What `content` throws is passed
   * on.
   */
  write(key: string, content: AsyncIterable<Uint8Array>): Promise<void>
  /** The same with a file of this machine, which it moves. For stores on the same disk. */
  take?(key: string, path: string): Promise<void>
  /** The bytes as a stream; undefined when there are none under this key. @throws {StoreUnavailable} */
  read(key: string, range?: ByteRange): Promise<Readable | undefined>
  /** Whether exactly this many bytes are there. @throws {StoreUnavailable} */
  has(key: string, size: number): Promise<boolean>
  /** Removes the bytes, also those of an unfinished upload. Removing nothing is no error. @throws {StoreUnavailable} */
  remove(key: string): Promise<void>
  /** A URL that serves the bytes for a short time; undefined when this store has no signed URLs. */
  signedUrl(key: string, answer: SignedAnswer): Promise<string | undefined>
}
