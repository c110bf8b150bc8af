import { createHash } from 'node:crypto'
import { tarHeader } from './tar-header.ts'

// A backup is a tar archive of streams in pieces: `NAME/00000001`, `NAME/00000002` … Nobody has to know the size of a
// stream before it ends. After some of them comes a list of their checksums, and at the end the checksum of the lists.

/** Bytes of a piece. */
const PIECE = 4 * 1024 * 1024
/** Streams between two lists of checksums. */
const LIST = 500

export const CHECKSUMS = 'checksums'
export const END = 'end.json'

/** A stream of a backup. */
export interface Part {
  readonly name: string
  readonly content: AsyncIterable<Buffer> | Iterable<Buffer>
}

/** The bytes of the archive of these streams, one after the other. */
export async function* archiveOf(parts: AsyncIterable<Part>): AsyncGenerator<Buffer> {
  const all = createHash('sha256')
  let list: string[] = []
  let lists = 0
  let count = 0
  const listed = function* (): Generator<Buffer> {
    const text = Buffer.from(list.join(''))
    all.update(text)
    lists += 1
    list = []
    yield* entry(`${CHECKSUMS}/${numbered(lists)}`, [text])
  }
  for await (const { name, content } of parts) {
    const hash = createHash('sha256')
    let number = 0
    for await (const pieces of inPieces(content)) {
      for (const piece of pieces) hash.update(piece)
      number += 1
      yield* entry(`${name}/${numbered(number)}`, pieces)
    }
    list.push(`${hash.digest('hex')}  ${name}\n`)
    count += 1
    if (list.length === LIST) yield* listed()
  }
  yield* listed()
  yield* entry(END, [Buffer.from(JSON.stringify({ streams: count, sha256: all.digest('hex') }))])
  yield Buffer.alloc(1024)
}

const numbered = (number: number): string => String(number).padStart(8, '0')

/** At least one piece, which may be empty. */
async function* inPieces(content: Part['content']): AsyncGenerator<Buffer[]> {
  let pieces: Buffer[] = []
  let size = 0
  let some = false
  for await (const piece of content) {
    pieces.push(piece)
    size += piece.length
    if (size < PIECE) continue
    yield pieces
    some = true
    pieces = []
    size = 0
  }
  if (size > 0 || !some) yield pieces
}

function* entry(name: string, pieces: readonly Buffer[]): Generator<Buffer> {
  const size = pieces.reduce((sum, { length }) => sum + length, 0)
  yield tarHeader(name, size)
  yield* pieces
  if (size % 512 > 0) yield Buffer.alloc(512 - (size % 512))
}
