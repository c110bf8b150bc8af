import { Readable } from 'node:stream'
import {
  type Decoder,
  decoderIn,
  decoderOf,
  isTooLong,
  UnknownCoding,
} from '#platform/http/content-codings.ts'
import { CollectorRefusal, tooLarge, unreadable } from './refusal.ts'

/** The most bytes of a request, before and after it is decompressed. */
export const MOST_BYTES = 20 * 1024 * 1024

/** What a header says of some bytes. @throws 415 for a coding that is not known */
function saidOf(bytes: Buffer, coding: string | undefined): Decoder | undefined {
  try {
    return decoderOf(bytes, coding)
  } catch (error) {
    throw error instanceof UnknownCoding
      ? new CollectorRefusal(415, `unknown content encoding ${error.message}`)
      : error
  }
}

/**
 * SDKs from before envelopes compress without a header, and write what they compressed as base64, which no JSON looks like.
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
  const sent = await decompress(body, saidOf(body, coding))
  const binary = fromBase64(sent) ?? sent
  return decompress(binary, decoderIn(binary))
}

function refuse(error: unknown): never {
  if (isTooLong(error)) throw tooLarge('the decompressed request')
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
  const decoder = saidOf(beginning, coding) ?? decoderIn(beginning)
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
