import type { Readable } from 'node:stream'
import { BLOCK, Blocks, filled, KIND, sizeIn } from './tar-blocks.ts'

/** A file, folder or link in a tar archive. Names are bytes, each a character, because git knows no encoding of names. */
export interface TarEntry {
  readonly name: string
  /** With the kind, as in the mode of a file. */
  readonly mode: number
  /** Seconds since 1970. */
  readonly time: number
  readonly size: number
  /** Read it to its end before the next entry; for links it is where they lead to. */
  readonly content: AsyncIterable<Buffer>
}

const FOLDER = 0o040000
const FILE = 0o100000
const LINK = 0o120000

/** Bytes of what is said of an entry ahead of it: names and targets that are too long for its header. */
const LONGEST_EXTENSION = 1024 * 1024

/** Reads an archive as `git archive` writes it. */
export async function* tarEntries(tar: Readable): AsyncGenerator<TarEntry> {
  const input = new Blocks(tar)
  let extension = new Map<string, string>()
  for (let header = await input.take(BLOCK); header !== undefined; header = await input.take(BLOCK)) {
    // Two blocks of zeros end an archive.
    if (header[0] === 0) continue
    const kind = String.fromCharCode(header[KIND] ?? 0)
    const size = Number(extension.get('size') ?? sizeIn(header))
    if (kind === 'x' || kind === 'g') {
      const read = await extensionOf(input, size)
      // What is said of all entries is the number of the commit.
      if (kind === 'x') extension = read
      continue
    }
    const said = extension
    extension = new Map()
    const [folders, name] = [textIn(header, 345, 155), textIn(header, 0, 100)]
    const target = said.get('linkpath') ?? textIn(header, 157, 100)
    const content = kind === '2' ? [Buffer.from(target, 'latin1')] : trimmed(input.pass(filled(size)), size)
    yield {
      name: said.get('path') ?? (folders === '' ? name : `${folders}/${name}`),
      mode: (kind === '2' ? LINK : kind === '5' ? FOLDER : FILE) | numberIn(header, 100, 8),
      time: Number(said.get('mtime') ?? numberIn(header, 136, 12)),
      size: kind === '2' ? target.length : size,
      content: iterable(content),
    }
  }
}

async function* iterable(pieces: AsyncIterable<Buffer> | Iterable<Buffer>): AsyncGenerator<Buffer> {
  yield* pieces
}

/** The first bytes of a stream, which is read to its end. */
async function* trimmed(pieces: AsyncIterable<Buffer>, size: number): AsyncGenerator<Buffer> {
  let left = size
  for await (const piece of pieces) {
    if (left > 0) yield piece.subarray(0, left)
    left -= piece.length
  }
}

/** Lines such as `30 path=a/long/name`, which begin with their length. */
async function extensionOf(input: Blocks, size: number): Promise<Map<string, string>> {
  if (size > LONGEST_EXTENSION) throw new Error('the archive has a name that is too long')
  const bytes = await input.take(filled(size))
  if (bytes === undefined) throw new Error('the archive ends in the middle of a name')
  const found = new Map<string, string>()
  for (let rest = bytes.toString('latin1', 0, size); rest !== '';) {
    const length = Number.parseInt(rest, 10)
    if (!(length > 0)) throw new Error('the archive has a name that is no name')
    const line = rest.slice(rest.indexOf(' ') + 1, length - 1)
    const equals = line.indexOf('=')
    found.set(line.slice(0, equals), line.slice(equals + 1))
    rest = rest.slice(length)
  }
  return found
}

/** A text that ends with a zero or fills its place. */
const textIn = (header: Buffer, at: number, length: number): string =>
  header.toString('latin1', at, at + length).replace(/\0[^]*$/, '')

const numberIn = (header: Buffer, at: number, length: number): number =>
  Number.parseInt(textIn(header, at, length).trim() || '0', 8)
