import type { FastifyRequest } from 'fastify'
import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { HttpError } from '#platform/http/errors.ts'

/**
 * The body of a request, uncompressed.
 * @param most bytes after which it fails; 0 for no limit.
 * @throws 415 for a compression that git does not use
 */
export function bodyOf(request: FastifyRequest, most: number): Readable {
  const coding = request.headers['content-encoding']?.trim().toLowerCase() ?? ''
  const body = request.bodyStream()
  if (coding !== '' && coding !== 'identity' && coding !== 'gzip' && coding !== 'x-gzip') {
    throw new HttpError(415, `The content-encoding ${coding.slice(0, 40)} is not supported.`)
  }
  const plain = coding.endsWith('gzip') ? gunzipped(body) : body
  return most === 0 ? plain : Readable.from(limited(plain, most), { objectMode: false })
}

function gunzipped(body: Readable): Readable {
  const gunzip = createGunzip()
  body.on('error', (error) => gunzip.destroy(error))
  return body.pipe(gunzip)
}

async function* limited(bytes: Readable, most: number): AsyncGenerator<Buffer> {
  let size = 0
  for await (const piece of bytes) {
    size += piece.length
    if (size > most) throw new HttpError(413, `The request is larger than ${most} bytes.`)
    yield piece
  }
}

/** Refuses a body that is not what git sends. @throws 415 */
export function assertType({ headers }: FastifyRequest, type: string): void {
  if (headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() === type) return
  throw new HttpError(415, `The content-type should be ${type}.`)
}
