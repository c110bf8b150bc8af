import { createReadStream } from 'node:fs'
import type { Readable } from 'node:stream'
import type { Config } from '#platform/config/config.ts'
import type { Log, Randomness } from '#platform/context.ts'
import type { Db } from '#platform/db/pool.ts'
import { append } from '#platform/sequences.ts'
import type { Algorithm } from './digests.ts'
import { OtherBytes, StoreUnavailable } from './errors.ts'
import { measured } from './measured.ts'
import {
  beginUpload,
  findFile,
  forgetLeftovers,
  giveUpUpload,
  keepUpload,
  type Location,
  moveFile,
  type StoredFile,
  takeLeftovers,
  type UploadedFile,
  useFileByDigest,
} from './rows.ts'
import type { ByteRange, SignedAnswer, Store } from './store.ts'
import { Stores } from './stores.ts'

export type { StoredFile } from './rows.ts'

export interface FilesOptions {
  readonly config: Config
  readonly db: Db
  readonly random: Randomness
  readonly log: Log
}

export interface StoreOptions {
  /** The maximum size in bytes. */
  readonly max: number
  /** The media type as found in the content, not as the client claims. */
  readonly mediaType?: string
  /** The digest that the bytes must have, in hexadecimal. */
  readonly sha256?: string
}

type Measured = Pick<UploadedFile, 'sha256' | 'size' | 'mediaType'>

/** Leftovers of one round of the clean-up, and how many of them are removed at the same time. */
const LEFTOVERS_PER_ROUND = 200
const AT_ONCE = 8

/**
 * Uploaded files: bytes in a store, and a row in the database for each. Other rows refer to a file by its id, in a
 * column that references `files` with `on delete restrict`. A file that nothing refers to is removed after a day.
 */
export class Files {
  readonly stores: Stores
  readonly #options: FilesOptions

  constructor(options: FilesOptions) {
    this.#options = options
    this.stores = new Stores(options.config)
  }

  /**
   * Streams bytes into the store. Call it before the transaction that refers to the file, never inside it. The same
   * bytes are stored once, so the result may be an existing file.
   * @throws {FileTooLarge} (413), {OtherBytes} (422), {StoreFull} (507), {StoreUnavailable} (503), and what `content` throws.
   */
  async store(content: AsyncIterable<Uint8Array> | Uint8Array, options: StoreOptions): Promise<StoredFile> {
    return (await this.storeWithDigests(content, options)).file
  }

  /** The same with digests that the caller wants to know. SHA-256 is always among them. */
  async storeWithDigests<A extends Algorithm = never>(
    content: AsyncIterable<Uint8Array> | Uint8Array,
    options: StoreOptions,
    more: readonly A[] = [],
  ): Promise<{ readonly file: StoredFile; readonly digests: Readonly<Record<A | 'sha256', Buffer>> }> {
    const iterable = content instanceof Uint8Array ? once(content) : content
    const bytes = measured(iterable, options.max, more)
    const file = await this.#upload(
      (store, key) => store.write(key, bytes),
      async () => {
        const { sha256 } = await bytes.digests()
        if (options.sha256 !== undefined && options.sha256 !== sha256.toString('hex')) throw new OtherBytes()
        return { sha256, size: bytes.size(), mediaType: options.mediaType ?? null }
      },
    )
    return { file, digests: await bytes.digests() }
  }

  /**
   * The same for bytes that somebody has measured and written to a file of this machine. The file is moved if the store
   * has it on the same disk; the caller removes it otherwise.
   */
  async storeFile(
    path: string,
    bytes: { readonly sha256: Buffer; readonly size: number },
  ): Promise<StoredFile> {
    return this.#upload(
      (store, key) => store.take?.(key, path) ?? store.write(key, createReadStream(path)),
      () => ({ ...bytes, mediaType: null }),
    )
  }

  async #upload(
    write: (store: Store, key: string) => Promise<void>,
    measure: () => Measured | Promise<Measured>,
  ): Promise<StoredFile> {
    const { db, random } = this.#options
    const storage = this.stores.current
    const store = await this.stores.of(storage)
    const key = await beginUpload(db, random, storage)
    let kept: StoredFile | undefined
    let failure: unknown
    try {
      await write(store, key)
      kept = await keepUpload(db, random, { key, storage, ...(await measure()) })
      if (kept === undefined) throw new StoreUnavailable(new Error('The upload took more than a day'))
      if (kept.key !== key) kept = await this.#healed(kept, { storage, key })
      return kept
    } catch (error) {
      failure = error
      throw error
    } finally {
      if (kept?.key !== key) await this.giveUp({ storage, key }, failure)
    }
  }

  /**
   * The file with these bytes, whoever stored it; it counts as just used.
   * @param sha256 in hexadecimal
   */
  findByDigest(sha256: string): Promise<StoredFile | undefined> {
    return useFileByDigest(this.#options.db, sha256)
  }

  /** The file with this id, which other rows refer to; undefined when it has no bytes. */
  find(id: string): Promise<StoredFile | undefined> {
    return findFile(this.#options.db, id)
  }

  /**
   * Streams the bytes of a file, or a part of them.
   * @returns undefined when they are gone, with the file or by damage; the log says which.
   * @throws {StoreUnavailable}
   */
  async read(file: StoredFile, range?: ByteRange): Promise<Readable | undefined> {
    const store = await this.stores.of(file.storage)
    const stream = await store.read(file.key, range)
    if (stream !== undefined) return stream
    const now = await this.find(file.id)
    if (now === undefined) return undefined
    // The file was moved to another store after the caller found it.
    if (now.key !== file.key) return this.read(now, range)
    this.#options.log.error(
      { file: file.id, storage: file.storage, key: file.key },
      'a file has lost its bytes',
    )
    return undefined
  }

  /** A URL that serves the bytes for a few minutes, if the configuration asks for signed URLs. */
  async signedUrl(file: StoredFile, answer: SignedAnswer): Promise<string | undefined> {
    return (await this.stores.of(file.storage)).signedUrl(file.key, answer)
  }

  /**
   * Removes the bytes of an unfinished upload. `failure` is the cause, if there was one. It never throws: the
   * clean-up tries again.
   */
  async giveUp(location: Location, failure?: unknown): Promise<void> {
    const { db, log } = this.#options
    try {
      if (!(await giveUpUpload(db, location.key))) return
      // A store that does not answer would keep the client waiting again.
      if (failure instanceof StoreUnavailable) return
      await (await this.stores.of(location.storage)).remove(location.key)
      await forgetLeftovers(db, [location.key])
    } catch (error) {
      log.warn({ err: error, ...location }, 'an upload that failed is removed later')
    }
  }

  /**
   * Removes bytes that belong to no file and are due for removal.
   * @throws the first failure of a store, after everything else was tried.
   */
  async removeLeftovers(signal: AbortSignal): Promise<void> {
    const { db } = this.#options
    const failures: unknown[] = []
    for (;;) {
      const batch = await takeLeftovers(db, this.stores.available, LEFTOVERS_PER_ROUND)
      if (batch.length === 0) break
      for (let at = 0; at < batch.length && !signal.aborted; at += AT_ONCE) {
        const some = batch.slice(at, at + AT_ONCE)
        const ends = await Promise.allSettled(some.map((one) => this.#remove(one)))
        append(
          failures,
          ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : [])),
        )
        await forgetLeftovers(
          db,
          some.flatMap(({ key }, index) => (ends[index]?.status === 'fulfilled' ? [key] : [])),
        )
      }
      if (signal.aborted) return
    }
    if (failures.length > 0) throw failures[0]
  }

  /** Removes all bytes on the disk: for tests that deleted the rows. */
  async clear(): Promise<void> {
    await this.stores.disk.clear()
  }

  /** Returns a file that already existed. If its bytes are lost, it gets those of the new upload. */
  async #healed(file: StoredFile, upload: Location): Promise<StoredFile> {
    if (await (await this.stores.of(file.storage)).has(file.key, file.size)) return file
    this.#options.log.warn({ file: file.id }, 'a file that had lost its bytes gets those of an upload')
    await moveFile(this.#options.db, file, upload)
    return (await this.find(file.id)) ?? file
  }

  async #remove({ storage, key }: Location): Promise<void> {
    const store: Store = await this.stores.of(storage)
    await store.remove(key)
  }
}

async function* once(content: Uint8Array) {
  yield content
}
