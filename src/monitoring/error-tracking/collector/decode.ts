import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import zlib from 'node:zlib'
import { Refusal, tooLarge, unreadable } from './refusal.ts'

/** The most bytes of a request, before and after it is decompressed. */
export const MOST_BYTES = 20 * 1024 * 1024

/** How bytes are decompressed: all at once, or as a stream of which somebody reads the beginning. */
interface Decoder {
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

/** What a header says of some bytes. @throws 415 for a coding that is not known */
function decoderOf(bytes: Buffer, coding: string | undefined): Decoder | undefined {
  const name = coding?.trim().toLowerCase() ?? ''
  if (name === '' || name === 'identity') return undefined
  const decoder = decoders.get(name)
  if (decoder === undefined) throw new Refusal(415, `unknown content encoding ${name.slice(0, 40)}`)
  return decoder(bytes)
}

/** What the bytes themselves say: SDKs from before envelopes compress without a header. */
function decoderIn(bytes: Buffer): Decoder | undefined {
  const [first = 0, second = 0] = bytes
  if (first === 0x1f && second === 0x8b) return gunzip
  return first % 16 === 8 && (first * 256 + second) % 31 === 0 ? inflate : undefined
}

/**
 * Those SDKs also write compressed bytes as base64, which no JSON looks like.
 * @returns undefined for other bytes
 */
function fromBase64(bytes: Buffer): Buffer | undefined {
  if (!/^\s*[\w+/]{4}/.test(bytes.toString('latin1', 0, 64))) return undefined
  const decoded = Buffer.from(bytes.toString('latin1'), 'base64')
  return decoded[0] === 0x7b || decoderIn(decoded) !== undefined ? decoded : undefined
}

/**
 * The bytes of a body as they were before they were compressed, whether a header says so or they themselves do, and before they
 * were written as base64.
 * @param claim counts them in the memory of all bodies.
 * @throws 400 when they cannot be decompressed, 413 when they are too many, 415 for other codings.
 */
export async function decode(
  body: Buffer,
  coding: string | undefined,
  claim: (bytes: number) => void,
): Promise<Buffer> {
  const decompress = async (bytes: Buffer, decoder: Decoder | undefined): Promise<Buffer> => {
    if (decoder === undefined) return bytes
    const decoded = await decoder.all(bytes, { maxOutputLength: MOST_BYTES }).catch(refuse)
    claim(decoded.length)
    return decoded
  }
  const sent = await decompress(body, decoderOf(body, coding))
  const binary = fromBase64(sent) ?? sent
  return decompress(binary, decoderIn(binary))
}

function refuse(error: unknown): never {
  if (error instanceof RangeError && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE')
    throw tooLarge('the decompressed request')
  throw unreadable('the body cannot be decompressed')
}

const NEWLINE = 10

/**
 * The first line of a body of which only the beginning is there, without decompressing more than that takes.
 * @param most bytes to look at; of a longer line it has more than these
 * @throws 400 and 415, as {@link decode} does
 */
export async function decodeFirstLine(
  beginning: Buffer,
  coding: string | undefined,
  most: number,
): Promise<Buffer> {
  const decoder = decoderOf(beginning, coding) ?? decoderIn(beginning)
  if (decoder === undefined) return firstLine(beginning)
  let line: Buffer = Buffer.alloc(0)
  try {
    for await (const piece of Readable.from([beginning]).pipe(decoder.stream())) {
      line = Buffer.concat([line, Buffer.from(piece)])
      if (line.includes(NEWLINE) || line.length > most) break
    }
  } catch {
    // The rest of it is still to come.
    if (line.length === 0) throw unreadable('the body cannot be decompressed')
  }
  return firstLine(line)
}

function firstLine(bytes: Buffer): Buffer {
  const end = bytes.indexOf(NEWLINE)
  return end < 0 ? bytes : bytes.subarray(0, end)
}
