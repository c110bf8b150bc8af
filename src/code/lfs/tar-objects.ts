import { Readable } from 'node:stream'
import type { StoredFile } from '#platform/files/files.ts'
import { POINTER_SIZES, readPointer } from './pointers.ts'

/** Bytes of a header, and what contents are filled up to. */
const BLOCK = 512
/** Where a header has the size of the content, its checksum and the kind of the entry. */
const SIZE = { at: 124, length: 12 } as const
const CHECKSUM = { at: 148, length: 8 } as const
const KIND = 156
/** The largest size that fits as octal digits; larger ones are written as a binary number. */
const LARGEST_OCTAL = 8 ** 11 - 1

/** What has to be known to replace pointers. */
interface Objects {
  /** By oid, in hexadecimal. */
  readonly files: ReadonlyMap<string, StoredFile>
  /** The bytes of a file; undefined when they are lost. */
  readonly open: (file: StoredFile) => Promise<Readable | undefined>
}

/** A tar archive as git writes it, with LFS objects in the place of the pointers that stand for them. Nothing is held but a block. */
export function withObjects(tar: Readable, objects: Objects): Readable {
  const all = Readable.from(replaced(tar, objects), { objectMode: false })
  // Whoever reads no more ends what git writes.
  all.once('close', () => tar.destroy())
  return all
}

async function* replaced(tar: Readable, objects: Objects): AsyncGenerator<Buffer> {
  const input = new Blocks(tar)
  for (let header = await input.take(BLOCK); header !== undefined; header = await input.take(BLOCK)) {
    const size = sizeIn(header)
    const isFile = header[KIND] === 0x30 || header[KIND] === 0
    if (!isFile || size < POINTER_SIZES.min || size > POINTER_SIZES.max) {
      yield header
      yield* input.pass(filled(size))
      continue
    }
    const content = await input.take(filled(size))
    if (content === undefined) throw new Error('the archive ends in the middle of a file')
    const pointer = readPointer(content.subarray(0, size))
    const file = pointer && objects.files.get(pointer.oid)
    const bytes = file && (await objects.open(file))
    if (file === undefined || bytes === undefined) {
      yield Buffer.concat([header, content])
      continue
    }
    yield withSize(header, file.size)
    yield* bytes
    yield Buffer.alloc(filled(file.size) - file.size)
  }
}

const filled = (size: number): number => Math.ceil(size / BLOCK) * BLOCK

/** The size that a header says: octal digits, or a binary number where the first bit is set. */
function sizeIn(header: Buffer): number {
  if (((header[SIZE.at] ?? 0) & 0x80) !== 0) return Number(header.readBigUInt64BE(SIZE.at + 4))
  const digits = header.toString('latin1', SIZE.at, SIZE.at + SIZE.length).replaceAll(/[\0 ]/g, '')
  return digits === '' ? 0 : Number.parseInt(digits, 8)
}

function withSize(before: Buffer, size: number): Buffer {
  const header = Buffer.from(before)
  header.fill(0, SIZE.at, SIZE.at + SIZE.length)
  if (size > LARGEST_OCTAL) {
    header[SIZE.at] = 0x80
    header.writeBigUInt64BE(BigInt(size), SIZE.at + 4)
  } else header.write(`${size.toString(8).padStart(11, '0')}\0`, SIZE.at, 'latin1')
  header.fill(' ', CHECKSUM.at, CHECKSUM.at + CHECKSUM.length)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(7, '0')}\0`, CHECKSUM.at, 'latin1')
  return header
}

/** Reads a stream in pieces of the sizes that are asked for. */
class Blocks {
  readonly #pieces: AsyncIterator<Buffer>
  #rest: Buffer = Buffer.alloc(0)

  constructor(stream: Readable) {
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
