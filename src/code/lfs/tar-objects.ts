import { Readable } from 'node:stream'
import { BLOCK, Blocks, filled, KIND, SIZE, sizeIn } from '#code/git/tar-blocks.ts'
import type { StoredFile } from '#platform/files/files.ts'
import { POINTER_SIZES, readPointer } from './pointers.ts'

/** Where a header has its checksum. */
const CHECKSUM = { at: 148, length: 8 } as const
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
