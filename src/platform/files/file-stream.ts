import { close, open, read } from 'node:fs'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import type { ByteRange } from './store.ts'

const openFile = promisify(open)
const readFile = promisify(read)

/** Bytes that are read at once. */
const PIECE = 64 * 1024
/** The same on the way to a client. One that reads slowly keeps two such buffers in memory. */
const LARGE_PIECE = 256 * 1024

/**
 * The bytes of a file. Piped to a client they pass through two buffers, again and again: new ones for each piece make V8
 * collect garbage of the whole program at every few of them, which took four fifths of the CPU of a large answer.
 */
export class FileStream extends Readable {
  readonly #file: number
  readonly #end: number
  #at: number
  #reading: Promise<unknown> = Promise.resolve()

  /** @throws an error of the file system. */
  static async open(path: string, range?: ByteRange): Promise<FileStream> {
    return new FileStream(await openFile(path, 'r'), range)
  }

  private constructor(file: number, { start, end }: ByteRange = { start: 0, end: Number.MAX_SAFE_INTEGER }) {
    super({ highWaterMark: PIECE })
    this.#file = file
    this.#at = start
    this.#end = end
  }

  override _read(): void {
    const buffer = Buffer.allocUnsafe(PIECE)
    this.#fill(buffer).then(
      (count) => this.push(count === 0 ? null : buffer.subarray(0, count)),
      (error: Error) => this.destroy(error),
    )
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    void this.#close(done, error)
  }

  async #close(done: (error?: Error | null) => void, cause: Error | null): Promise<void> {
    // Another file could get the number while this one is read by it.
    await Promise.allSettled([this.#reading])
    close(this.#file, (failure) => done(cause ?? failure))
  }

  /** Sends everything that is left. Nobody may read from this stream before. */
  override pipe<To extends NodeJS.WritableStream>(to: To, { end = true } = {}): To {
    void this.#pour(to, end)
    return to
  }

  async #pour(to: NodeJS.WritableStream, end: boolean): Promise<void> {
    try {
      await this.#send(to)
    } catch (error) {
      this.destroy(error instanceof Error ? error : undefined)
      return
    }
    if (end) to.end()
    this.push(null)
    this.resume()
  }

  async #send(to: NodeJS.WritableStream): Promise<void> {
    const left = new Promise<never>((_, reject) => {
      to.once('close', () => reject(new Error('nobody reads any more')))
    })
    // It matters only while something is being written.
    left.catch(() => {})
    const buffers = [Buffer.allocUnsafeSlow(LARGE_PIECE), Buffer.allocUnsafeSlow(LARGE_PIECE)] as const
    let written: Promise<void> = Promise.resolve()
    for (let [buffer, other] = buffers; ; [buffer, other] = [other, buffer]) {
      const [count] = await Promise.all([this.#fill(buffer), Promise.race([written, left])])
      if (count === 0) return
      written = new Promise((resolve, reject) => {
        to.write(buffer.subarray(0, count), (error) => (error ? reject(error) : resolve()))
      })
    }
  }

  /** @returns how many bytes were read; 0 at the end. */
  async #fill(buffer: Buffer): Promise<number> {
    const length = Math.min(buffer.length, this.#end - this.#at + 1)
    if (length <= 0 || this.destroyed) return 0
    const reading = readFile(this.#file, buffer, 0, length, this.#at)
    this.#reading = reading
    const { bytesRead } = await reading
    this.#at += bytesRead
    return bytesRead
  }
}
