import { Readable } from 'node:stream'
import { crc32, createDeflateRaw, deflateRawSync } from 'node:zlib'
import { type TarEntry, tarEntries } from './tar-entries.ts'

/** A number of so many bytes, the lowest byte first. */
type Field = readonly [bytes: 2 | 4 | 8, value: number]

/** What the end of an archive says of an entry. */
interface Written {
  readonly name: Buffer
  readonly mode: number
  readonly method: number
  readonly flags: number
  readonly times: Times
  readonly checksum: number
  readonly size: number
  readonly compressed: number
  /** Where it begins. */
  readonly at: number
}

interface Times {
  /** Of MS-DOS, as of UTC: time and date. */
  readonly dos: readonly [Field, Field]
  readonly extra: Buffer
}

const STORED = 0
const DEFLATED = 8
/** The checksum and sizes follow the content. */
const FOLLOWED = 0x8
const UTF8 = 0x800
/** The version of the format that knows numbers of 8 bytes, and the system whose modes of files these are. */
const VERSION = 45
const MADE_BY = (3 << 8) | VERSION
/** Stands for a number that an extra field has. */
const MANY = 0xffff_ffff
/** Bytes from which on contents have sizes of 8 bytes: what does not compress becomes a little larger. */
const LARGE = 0xf000_0000
/** Bytes up to which a content is compressed at once: a stream takes longer than the work itself. */
const SMALL = 64 * 1024

/**
 * A zip archive with what a tar archive has, while it is read. Only the list at the end is held, some hundred bytes for each file.
 * @param comment the number of the commit
 */
export function zipOfTar(tar: Readable, comment: string): Readable {
  const zip = zipOfEntries(tarEntries(tar), comment)
  // Whoever reads no more ends what git writes.
  zip.once('close', () => tar.destroy())
  return zip
}

/** The same with entries from elsewhere, each of which is read to its end before the next. */
export const zipOfEntries = (entries: AsyncIterable<TarEntry>, comment = ''): Readable =>
  Readable.from(zipped(entries, Buffer.from(comment)), { objectMode: false })

async function* zipped(entries: AsyncIterable<TarEntry>, comment: Buffer): AsyncGenerator<Buffer> {
  const list: Buffer[] = []
  let at = 0
  for await (const entry of entries) {
    const pieces = writtenEntry(entry, at)
    let piece = await pieces.next()
    for (; piece.done !== true; piece = await pieces.next()) {
      at += piece.value.length
      yield piece.value
    }
    list.push(listed(piece.value))
  }
  yield* list
  const size = list.reduce((sum, { length }) => sum + length, 0)
  yield endOf({ entries: list.length, size, at, comment })
}

/** Writes an entry. @returns what the end says of it */
async function* writtenEntry(entry: TarEntry, at: number): AsyncGenerator<Buffer, Written> {
  const name = Buffer.from(entry.name, 'latin1')
  const isFolder = entry.name.endsWith('/')
  const method = isFolder ? STORED : DEFLATED
  const flags = (isFolder ? 0 : FOLLOWED) | (isUnicode(name) ? UTF8 : 0)
  const isLarge = entry.size >= LARGE
  const times = timesOf(entry.time)
  const extra = Buffer.concat([
    times.extra,
    isLarge ? packed([2, 1], [2, 16], [8, 0], [8, 0]) : Buffer.alloc(0),
  ])
  const unknown: Field = [4, isLarge ? MANY : 0]
  const head = packed(
    ...([
      [4, 0x0403_4b50],
      [2, VERSION],
      [2, flags],
      [2, method],
    ] as const),
    ...times.dos,
    ...([[4, 0], unknown, unknown, [2, name.length], [2, extra.length]] as const),
  )
  yield Buffer.concat([head, name, extra])
  let [checksum, size, compressed] = [0, 0, 0]
  async function* measured(): AsyncGenerator<Buffer> {
    for await (const piece of entry.content) {
      checksum = crc32(piece, checksum)
      size += piece.length
      yield piece
    }
  }
  if (!isFolder) {
    for await (const piece of deflated(measured(), entry.size)) {
      compressed += piece.length
      yield piece
    }
    const bytes = isLarge ? 8 : 4
    yield packed([4, 0x0807_4b50], [4, checksum], [bytes, compressed], [bytes, size])
  }
  return { name, mode: entry.mode, method, flags, times, checksum, size, compressed, at }
}

async function* deflated(content: AsyncIterable<Buffer>, size: number): AsyncGenerator<Buffer> {
  if (size > SMALL) {
    yield* Readable.from(content, { objectMode: false }).compose(createDeflateRaw())
    return
  }
  const pieces: Buffer[] = []
  for await (const piece of content) pieces.push(piece)
  // What it writes into is not freed at once.
  yield deflateRawSync(Buffer.concat(pieces), { chunkSize: size + 64 })
}

/** The line of the list at the end. */
function listed({ name, mode, method, flags, times, checksum, size, compressed, at }: Written): Buffer {
  const many = [size, compressed, at].filter((value) => value >= MANY)
  const sizes = many.map((value): Field => [8, value])
  const extra = [times.extra, ...(many.length === 0 ? [] : [packed([2, 1], [2, many.length * 8], ...sizes)])]
  const attributes = mode * 0x1_0000 + (name.at(-1) === 0x2f ? 0x10 : 0)
  const head = packed(
    [4, 0x0201_4b50],
    ...([
      [2, MADE_BY],
      [2, VERSION],
      [2, flags],
      [2, method],
    ] as const),
    ...times.dos,
    ...([
      [4, checksum],
      [4, Math.min(compressed, MANY)],
      [4, Math.min(size, MANY)],
    ] as const),
    ...([
      [2, name.length],
      [2, extra.reduce((sum, { length }) => sum + length, 0)],
    ] as const),
    // No comment, the first part of the archive, and no hint of what the content is.
    ...([
      [2, 0],
      [2, 0],
      [2, 0],
      [4, attributes],
      [4, Math.min(at, MANY)],
    ] as const),
  )
  return Buffer.concat([head, name, ...extra])
}

interface End {
  readonly entries: number
  /** Bytes of the list. */
  readonly size: number
  /** Where the list begins. */
  readonly at: number
  readonly comment: Buffer
}

/** The end of an archive, with a second one before it for numbers that have no room in the first. */
function endOf({ entries, size, at, comment }: End): Buffer {
  const isLarge = entries >= 0xffff || size >= MANY || at >= MANY
  const large = packed(
    ...([
      [4, 0x0606_4b50],
      [8, 44],
      [2, MADE_BY],
      [2, VERSION],
      [4, 0],
      [4, 0],
    ] as const),
    ...([
      [8, entries],
      [8, entries],
      [8, size],
      [8, at],
    ] as const),
    // Where this record is.
    ...([
      [4, 0x0706_4b50],
      [4, 0],
      [8, at + size],
      [4, 1],
    ] as const),
  )
  const few: Field = [2, Math.min(entries, 0xffff)]
  const end = packed(
    ...([
      [4, 0x0605_4b50],
      [2, 0],
      [2, 0],
    ] as const),
    few,
    few,
    ...([
      [4, Math.min(size, MANY)],
      [4, Math.min(at, MANY)],
      [2, comment.length],
    ] as const),
  )
  return Buffer.concat([...(isLarge ? [large] : []), end, comment])
}

/** MS-DOS knows the years from 1980 to 2107, and every other second. The extra field has the seconds since 1970. */
function timesOf(time: number): Times {
  const date = new Date(Math.min(Math.max(time, Date.UTC(1980) / 1000), Date.UTC(2108) / 1000 - 1) * 1000)
  const clock = (date.getUTCHours() << 11) | (date.getUTCMinutes() << 5) | (date.getUTCSeconds() >> 1)
  const day = ((date.getUTCFullYear() - 1980) << 9) | ((date.getUTCMonth() + 1) << 5) | date.getUTCDate()
  const extra = time < 2 ** 31 ? packed([2, 0x5455], [2, 5]) : Buffer.alloc(0)
  const seconds = extra.length === 0 ? extra : Buffer.concat([Buffer.from([1]), packed([4, time])])
  return {
    dos: [
      [2, clock],
      [2, day],
    ],
    extra: Buffer.concat([extra, seconds]),
  }
}

function packed(...fields: readonly Field[]): Buffer {
  const all = Buffer.alloc(fields.reduce((sum, [bytes]) => sum + bytes, 0))
  let at = 0
  for (const [bytes, value] of fields) {
    if (bytes === 8) all.writeBigUInt64LE(BigInt(value), at)
    else all.writeUIntLE(value, at, bytes)
    at += bytes
  }
  return all
}

/** Whether a name has more than ASCII, and is UTF-8. */
const isUnicode = (name: Buffer): boolean =>
  name.some((byte) => byte > 0x7f) && Buffer.from(name.toString('utf8')).equals(name)
