import { promisify } from 'node:util'
import zlib from 'node:zlib'
import { Refusal, tooLarge, unreadable } from './refusal.ts'

/** The most bytes of a request, before and after it is decompressed. */
export const MOST_BYTES = 20 * 1024 * 1024

type Decoder = (bytes: Buffer, limits: { maxOutputLength: number }) => Promise<Buffer>

const inflate: Decoder = promisify(zlib.inflate)
const inflateRaw: Decoder = promisify(zlib.inflateRaw)
const gunzip: Decoder = promisify(zlib.gunzip)

const decoders: ReadonlyMap<string, Decoder> = new Map<string, Decoder>([
  ['gzip', gunzip],
  ['x-gzip', gunzip],
  // Some clients send it without the head that RFC 9110 asks for.
  ['deflate', (bytes, limits) => ((bytes[0] ?? 0) % 16 === 8 ? inflate : inflateRaw)(bytes, limits)],
  ['br', promisify(zlib.brotliDecompress)],
  ['zstd', promisify(zlib.zstdDecompress)],
])

/**
 * The bytes of a body as they were before it was compressed.
 * @param claim counts them in the memory of all bodies.
 * @throws 400 when they cannot be decompressed, 413 when they are too many, 415 for other codings.
 */
export async function decode(
  body: Buffer,
  coding: string | undefined,
  claim: (bytes: number) => void,
): Promise<Buffer> {
  const name = coding?.trim().toLowerCase() ?? ''
  if (name === '' || name === 'identity') return body
  const decoder = decoders.get(name)
  if (decoder === undefined) throw new Refusal(415, `unknown content encoding ${name.slice(0, 40)}`)
  const decoded = await decoder(body, { maxOutputLength: MOST_BYTES }).catch((error: unknown) => {
    if (error instanceof RangeError && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE')
      throw tooLarge('the decompressed request')
    throw unreadable('the body cannot be decompressed')
  })
  claim(decoded.length)
  return decoded
}
