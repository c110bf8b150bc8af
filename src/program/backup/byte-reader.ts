import { BackupDamaged } from './errors.ts'

/** Reads a stream by numbers of bytes. */
export class ByteReader {
  readonly #pieces: AsyncIterator<Buffer>
  #buffer: Buffer = Buffer.alloc(0)

  constructor(content: AsyncIterable<Buffer>) {
    this.#pieces = content[Symbol.asyncIterator]()
  }

  /** Looks at the next bytes; fewer at the end. */
  async peek(length: number): Promise<Buffer> {
    const pieces = [this.#buffer]
    let size = this.#buffer.length
    while (size < length) {
      const next = await this.#pieces.next()
      if (next.done === true) break
      pieces.push(next.value)
      size += next.value.length
    }
    if (pieces.length > 1) this.#buffer = Buffer.concat(pieces)
    return this.#buffer.subarray(0, length)
  }

  /** @throws {BackupDamaged} when there are fewer. */
  async take(length: number): Promise<Buffer> {
    const bytes = await this.peek(length)
    if (bytes.length < length) throw endsEarly()
    this.#buffer = this.#buffer.subarray(length)
    return bytes
  }

  async *rest(): AsyncGenerator<Buffer> {
    yield this.#buffer
    this.#buffer = Buffer.alloc(0)
    for (let next = await this.#pieces.next(); next.done !== true; next = await this.#pieces.next())
      yield next.value
  }
}

export const endsEarly = (): BackupDamaged =>
  new BackupDamaged('the backup is not whole: it ends too early. It was not finished, or was cut off')
