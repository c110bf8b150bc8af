import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises'
import type { IncomingHttpHeaders } from 'node:http'
import { dirname } from 'node:path'
import { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { OutgoingFailed, tooLarge } from '#platform/outgoing/errors.ts'
import type { OutgoingAnswer } from '#platform/outgoing/outgoing.ts'
import type { Digest } from '../../oci/names.ts'
import { WrongDigest } from '../../oci/wrong-digest.ts'

/** Milliseconds without a byte after which a transfer counts as broken. */
const STALLED = 60_000
/** Milliseconds that a download goes on when nobody reads it any more: clients try again. */
const ABANDONED = 60_000
/** How often a transfer that broke is continued, without a byte between, and how long it waits before. */
const TRIES = 5
const FIRST_PAUSE = 100
/** Bytes that a reader gets at once. */
const PIECE = 256 * 1024

export interface DownloadOptions {
  /** Where the bytes are put meanwhile. What a process that died has left there is used, so nobody else may write there. */
  readonly path: string
  readonly digest: Digest
  /** The answer whose body has the bytes from the first one. */
  readonly first: OutgoingAnswer
  /** Asks for the bytes from another one, after a transfer broke. */
  readonly continued: (from: number, signal: AbortSignal) => Promise<OutgoingAnswer>
  readonly signal: AbortSignal
  /** The most bytes that may come. */
  readonly most: number
  /** Called with how many bytes there will be, before they are written; if it fails, so does the download. */
  readonly beforeWriting: (bytes: number) => Promise<void>
}

/**
 * Bytes that come from somewhere else, and that several readers get while they come. They are in a file, not in memory. The
 * last byte is held back until the digest is verified, so nobody ever gets all of something wrong.
 */
export class Download {
  /** Where the bytes are until it ends. */
  get path(): string {
    return this.#options.path
  }

  /** As the other server says; undefined when it does not. */
  readonly size: number | undefined
  readonly #options: DownloadOptions
  readonly #abandoned = new AbortController()
  readonly #signal: AbortSignal
  #file: FileHandle | undefined
  #written = 0
  /** What came last, and where it begins. */
  #latest: { readonly at: number; readonly piece: Buffer } = { at: 0, piece: Buffer.alloc(0) }
  #readers = 0
  #state: 'coming' | 'verified' | 'ended' = 'coming'
  #failure: unknown
  #news = Promise.withResolvers<void>()
  #timer: NodeJS.Timeout | undefined

  constructor(options: DownloadOptions) {
    this.#options = options
    this.size = lengthOf(options.first.headers)
    this.#signal = AbortSignal.any([options.signal, this.#abandoned.signal])
  }

  /**
   * Gets all bytes and verifies them.
   * @returns what the store wants to know of them.
   * @throws OutgoingFailed, {@link WrongDigest}
   */
  async run(): Promise<{ readonly sha256: Buffer; readonly size: number }> {
    const { path, digest } = this.#options
    try {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      const left = await setAside(path)
      this.#file = await open(path, 'wx+', 0o600)
      const wanted = createHash(digest.algorithm)
      const sha256 = digest.algorithm === 'sha256' ? undefined : createHash('sha256')
      const measure = (piece: Buffer) => {
        wanted.update(piece)
        sha256?.update(piece)
      }
      if (left !== undefined) await this.#takeOver(left, measure)
      await this.#receive(measure)
      const found = wanted.digest()
      if (found.toString('hex') !== digest.hex) throw new WrongDigest(`It should be ${digest.text}`)
      this.#become('verified')
      return { sha256: sha256?.digest() ?? found, size: this.#written }
    } catch (error) {
      this.#failure = error
      this.#become('ended')
      throw error
    }
  }

  /** Removes the file, unless it was moved, once nobody reads it. */
  async end(): Promise<void> {
    clearTimeout(this.#timer)
    await rm(this.#options.path, { force: true })
    if (this.#state === 'verified') this.#become('ended')
    await this.#closeIfUnused()
  }

  /**
   * The bytes as they come, to the last one. The stream fails when the download does.
   * @param from the first byte.
   * @returns undefined when the file is gone, because the download has ended and nobody read it.
   */
  stream(from = 0): Readable | undefined {
    if (this.#state === 'ended' && this.#failure === undefined && this.#file === undefined) return undefined
    // From now on, though the stream begins to read later: the file stays as long as it has readers.
    this.#readers += 1
    clearTimeout(this.#timer)
    return Readable.from(this.#pieces(from), { objectMode: false }).once('close', () => void this.#leave())
  }

  async *#pieces(from: number): AsyncGenerator<Buffer> {
    for (let at = from; ;) {
      const isWhole = this.#failure === undefined && this.#state !== 'coming'
      const end = isWhole ? this.#written : Math.min(this.#written, (this.size ?? this.#written) - 1)
      if (at < end) {
        const piece = await this.#piece(at, end)
        at += piece.length
        yield piece
      } else if (this.#failure !== undefined) throw this.#failure
      else if (isWhole) return
      else await this.#news.promise
    }
  }

  async #leave(): Promise<void> {
    this.#readers -= 1
    if (this.#readers === 0 && this.#state === 'coming') {
      this.#timer = setTimeout(
        () => this.#abandoned.abort(new Error('nobody waits for it')),
        ABANDONED,
      ).unref()
    }
    await this.#closeIfUnused()
  }

  async #piece(at: number, end: number): Promise<Buffer> {
    const { at: from, piece } = this.#latest
    // Whoever keeps up needs no other buffer: new ones for each piece make V8 collect garbage all the time.
    if (at >= from && at < from + piece.length) return piece.subarray(at - from, end - from)
    const buffer = Buffer.allocUnsafe(Math.min(PIECE, end - at))
    const read = await this.#file?.read(buffer, 0, buffer.length, at)
    if (read === undefined || read.bytesRead === 0) throw new Error('What was downloaded is gone')
    return buffer.subarray(0, read.bytesRead)
  }

  async #closeIfUnused(): Promise<void> {
    if (this.#state !== 'ended' || this.#readers > 0) return
    const file = this.#file
    this.#file = undefined
    await file?.close()
  }

  #become(state: 'verified' | 'ended'): void {
    this.#state = state
    this.#tell()
  }

  #tell(): void {
    const { resolve } = this.#news
    this.#news = Promise.withResolvers<void>()
    resolve()
  }

  /** Begins with a copy of what was left: whoever left it may be slow instead of dead, and still write. */
  async #takeOver(left: string, measure: (piece: Buffer) => void): Promise<void> {
    // The last byte comes from the other server, which so has to answer for the end.
    const most = (this.size ?? 0) - 1
    try {
      if (most < 1) return
      const bytes = createReadStream(left, { end: most - 1, highWaterMark: PIECE, signal: this.#signal })
      for await (const piece of bytes) await this.#write(piece, measure)
    } finally {
      await rm(left, { force: true })
    }
  }

  async #write(piece: Buffer, measure: (piece: Buffer) => void): Promise<void> {
    if (this.#written + piece.length > this.#options.most) throw tooLarge(this.#options.most)
    await this.#options.beforeWriting(this.#written + piece.length)
    await writeAll(this.#file, piece, this.#written)
    measure(piece)
    this.#latest = { at: this.#written, piece }
    this.#written += piece.length
    this.#tell()
  }

  /** Receives the bytes. A transfer that breaks is continued where it broke. */
  async #receive(measure: (piece: Buffer) => void): Promise<void> {
    const { first } = this.#options
    let answer: OutgoingAnswer | undefined = this.#written === 0 ? first : undefined
    if (answer === undefined) first.body.destroy()
    let skip = 0
    for (let tries = 1; ; tries += 1) {
      const before = this.#written
      try {
        answer ??= await this.#options.continued(before, this.#signal)
        skip = before === 0 ? 0 : skipped(answer, before)
        await this.#receiveFrom(answer, skip, measure)
        if (this.size !== undefined && this.#written < this.size)
          throw new OutgoingFailed('unreachable', 'The transfer ended too early')
        return
      } catch (error) {
        answer = undefined
        const isPassing =
          error instanceof OutgoingFailed && (error.reason === 'unreachable' || error.reason === 'slow')
        if (this.#written > before) tries = 0
        if (!isPassing || tries >= TRIES || this.#signal.aborted) throw error
        await pause(FIRST_PAUSE * 2 ** tries, undefined, { signal: this.#signal })
      }
    }
  }

  async #receiveFrom(
    { body }: OutgoingAnswer,
    skip: number,
    measure: (piece: Buffer) => void,
  ): Promise<void> {
    const stop = () => body.destroy(this.#signal.reason)
    const stalled = setTimeout(
      () => body.destroy(new OutgoingFailed('slow', 'The transfer came to a stop')),
      STALLED,
    )
    this.#signal.addEventListener('abort', stop, { once: true })
    let left = skip
    try {
      for await (const some of body) {
        const all: Buffer = some
        stalled.refresh()
        const piece = all.subarray(Math.min(left, all.length))
        left -= all.length - piece.length
        if (piece.length === 0) continue
        await this.#write(piece, measure)
      }
    } finally {
      clearTimeout(stalled)
      this.#signal.removeEventListener('abort', stop)
    }
  }
}

/** Moves what a process that died has left, so that a new file can be there. @returns where it is now, if there was any */
async function setAside(path: string): Promise<string | undefined> {
  const aside = `${path}-left`
  try {
    await rename(path, aside)
    return aside
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

async function writeAll(file: FileHandle | undefined, piece: Buffer, position: number): Promise<void> {
  for (let at = 0; at < piece.length;) {
    const written = await file?.write(piece, at, piece.length - at, position + at)
    at += written?.bytesWritten ?? piece.length
  }
}

/** How many bytes an answer says that it has. */
export const lengthOf = (headers: IncomingHttpHeaders): number | undefined => {
  const length = Number(headers['content-length'] ?? Number.NaN)
  return Number.isSafeInteger(length) && length >= 0 ? length : undefined
}

/** How many bytes of an answer are known already. @throws OutgoingFailed when it does not continue what broke */
function skipped({ status, headers, body }: OutgoingAnswer, from: number): number {
  if (status === 200) return from
  if (status === 206 && new RegExp(`^bytes ${from}-`).test(headers['content-range'] ?? '')) return 0
  body.destroy()
  throw new OutgoingFailed('unreachable', `The transfer could not be continued: ${status}`)
}
