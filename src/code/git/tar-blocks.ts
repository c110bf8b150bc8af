/** Bytes of a header, and what contents are filled up to. */
export const BLOCK = 512
/** Where a header has the size of the content, and the kind of the entry. */
export const SIZE = { at: 124, length: 12 } as const
export const KIND = 156

/** Bytes of a content with what its last block is filled up with. */
export const filled = (size: number): number => Math.ceil(size / BLOCK) * BLOCK

/** The size that a header says: octal digits, or a binary number where the first bit is set. */
export function sizeIn(header: Buffer): number {
  if (((header[SIZE.at] ?? 0) & 0x80) !== 0) return Number(header.readBigUInt64BE(SIZE.at + 4))
  const digits = header.toString('latin1', SIZE.at, SIZE.at + SIZE.length).replaceAll(/[\0 ]/g, '')
  return digits === '' ? 0 : Number.parseInt(digits, 8)
}

/** Reads a stream in pieces of the sizes that are asked for. */
export class Blocks {
  readonly #pieces: AsyncIterator<Buffer>
  #rest: Buffer = Buffer.alloc(0)

  constructor(stream: AsyncIterable<Buffer>) {
    this.#pieces = stream[Symbol.asyncIterator]()
  }

  /** So many bytes; undefined at the end. For few of them. */
  async take(count: number): Promise<Buffer | undefined> {
    while (this.#rest.length < count) {
      const next = await this.#pieces.next()
      if (next.done === true) return undefined
      this.#rest = this.#rest.length === 0 ? next.value : Buffer.concat([this.#rest, next.value])
    }
    const taken = this.#rest.subarray(0, count)
    this.#rest = this.#rest.subarray(count)
    return taken
  }

  /** So many bytes as they come. */
  async *pass(count: number): AsyncGenerator<Buffer> {
    let left = count
    while (left > 0) {
      if (this.#rest.length === 0) {
        const next = await this.#pieces.next()
        if (next.done === true) throw new Error('the archive ends in the middle of a file')
        this.#rest = next.value
      }
      const piece = this.#rest.subarray(0, left)
      this.#rest = this.#rest.subarray(piece.length)
      left -= piece.length
      yield piece
    }
  }
}
