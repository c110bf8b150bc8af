import { promisify } from 'node:util'
import zlib from 'node:zlib'

/** How bytes are decompressed: all at once, or as a stream of which somebody reads the beginning. */
export interface Decoder {
  readonly all: (bytes: Buffer, limits: { maxOutputLength: number }) => Promise<Buffer>
  readonly stream: () => NodeJS.ReadWriteStream
}

const inflate: Decoder = { all: promisify(zlib.inflate), stream: () => zlib.createInflate() }
const inflateRaw: Decoder = { all: promisify(zlib.inflateRaw), stream: () => zlib.createInflateRaw() }
const gunzip: Decoder = { all: promisify(zlib.gunzip), stream: () => zlib.createGunzip() }
const brotli: Decoder = { all: promisify(zlib.brotliDecompress), stream: () => zlib.createBrotliDecompress() }
const zstd: Decoder = { all: promisify(zlib.zstdDecompress), stream: () => zlib.createZstdDecompress() }

const decoders: ReadonlyMap<string, (bytes: Buffer) => Decoder> = new Map<string, (bytes: Buffer) => Decoder>(
  [
    ['gzip', () => gunzip],
    ['x-gzip', () => gunzip],
    // Some clients send it without the head that RFC 9110 asks for.
    ['deflate', (bytes) => ((bytes[0] ?? 0) % 16 === 8 ? inflate : inflateRaw)],
    ['br', () => brotli],
    ['zstd', () => zstd],
  ],
)

/** A content coding that is not known. */
export class UnknownCoding extends Error {
  override readonly name = 'UnknownCoding'
}

/**
 * What the header `Content-Encoding` says of some bytes; undefined where they are as they were.
 * @throws UnknownCoding with the coding, cut to what an answer may quote
 */
export function decoderOf(bytes: Buffer, header: string | undefined): Decoder | undefined {
  const name = header?.trim().toLowerCase() ?? ''
  if (name === '' || name === 'identity') return undefined
  const decoder = decoders.get(name)
  if (decoder === undefined) throw new UnknownCoding(name.slice(0, 40))
  return decoder(bytes)
}

/** What bytes say themselves that no header tells of: zlib or gzip. */
export function decoderIn(bytes: Buffer): Decoder | undefined {
  const [first = 0, second = 0] = bytes
  if (first === 0x1f && second === 0x8b) return gunzip
  return first % 16 === 8 && (first * 256 + second) % 31 === 0 ? inflate : undefined
}

/** Whether decompression failed because there would be too many bytes. */
export const isTooLong = (error: unknown): boolean =>
  error instanceof RangeError && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE'
