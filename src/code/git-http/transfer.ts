import type { FastifyRequest } from 'fastify'
import { pipeline, Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { HttpError } from '#platform/http/errors.ts'

/** How much larger than it came a body may become, beside the first mebibyte. Commands of git become ten times larger. */
const RATIO = 100
const FREE = 1024 * 1024

/**
 * The body of a request, uncompressed.
 * @param most bytes after which it fails with 413; 0 for no limit.
 * @throws 415 for a compression that git does not use. The stream fails with 413 when hardly anything becomes very much,
 * and with 400 when it is damaged.
 */
export function bodyOf(request: FastifyRequest, most: number): Readable {
  const coding = request.headers['content-encoding']?.trim().toLowerCase() ?? ''
  const body = request.bodyStream()
  if (coding !== '' && coding !== 'identity' && coding !== 'gzip' && coding !== 'x-gzip') {
    throw new HttpError(415, `The content-encoding ${coding.slice(0, 40)} is not supported.`)
  }
  const plain = coding.endsWith('gzip') ? Readable.from(gunzipped(body), { objectMode: false }) : body
  return most === 0 ? plain : Readable.from(limited(plain, most), { objectMode: false })
}

async function* gunzipped(body: Readable): AsyncGenerator<Buffer> {
  let came = 0
  let became = 0
  const gunzip = createGunzip()
  const counted = async function* (): AsyncGenerator<Buffer> {
    for await (const piece of body) {
      came += piece.length
      yield piece
    }
  }
  // The failure of one ends the other, and this loop.
  pipeline(counted, gunzip, () => {})
  try {
    for await (const piece of gunzip) {
      became += piece.length
      if (became > FREE + RATIO * came)
        throw new HttpError(
          413,
          `The request becomes more than ${RATIO} times larger when it is decompressed.`,
        )
      yield piece
    }
  } catch (error) {
    throw isDamage(error) ? new HttpError(400, 'The compressed request is damaged.') : error
  }
}

const isDamage = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && String(error.code).startsWith('Z_')

async function* limited(bytes: Readable, most: number): AsyncGenerator<Buffer> {
  let size = 0
  for await (const piece of bytes) {
    size += piece.length
    if (size > most) throw new HttpError(413, `The request is larger than ${most} bytes.`)
    yield piece
  }
}

/**
 * Leaves what has not come yet of a body that nobody will read: the server throws it away once the answer is sent. With `connection: close`
 * git would stop in the middle of its request and send the rest as another one, or find the connection broken.
 */
export function leaveRest({ raw, received }: FastifyRequest): void {
  if (!raw.complete && received instanceof Readable) received.destroy()
}

/** Refuses a body that is not what git sends. @throws 415 */
export function assertType({ headers }: FastifyRequest, type: string): void {
  if (headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() === type) return
  throw new HttpError(415, `The content-type should be ${type}.`)
}
