import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { clientOf } from '#platform/http/client-left.ts'
import { type ObjectInfo, readExisting, streamBlob } from '#code/git/objects.ts'
import type { Repository } from '#code/git/repository.ts'
import { fileNameParameters } from '#platform/files/send-file.ts'
import { isKnown, sendHead } from '#platform/http/headers.ts'
import { TooLarge } from '#platform/refusals.ts'
import { Type } from 'typebox'

/** Blobs up to this size in bytes are read at once; larger ones are streamed, so that no number of them fills the memory. */
const SMALL = 1024 * 1024

/** Bytes of the largest blob that is read to its end for JSON or a checksum; beyond it only its bytes are sent. */
const LARGEST = 100 * 1024 * 1024

/** Whether a blob is too large for JSON and checksums. */
export const isHuge = ({ size }: Pick<ObjectInfo, 'size'>): boolean => size > LARGEST

/** @throws 413 for a blob that is too large for JSON */
function assertFitsJson(blob: Pick<ObjectInfo, 'size'>): void {
  if (!isHuge(blob)) return
  throw new TooLarge(`the file has ${blob.size} bytes: ask for it with /raw`)
}

/** The answers of routes that send the bytes of a blob. */
export const blobAnswers = {
  200: Type.Unsafe<Readable | Buffer>({
    type: 'string',
    format: 'binary',
    contentMediaType: 'application/octet-stream',
    description: 'The bytes: as `text/plain` if they are text.',
  }),
  304: Type.Unsafe<undefined>({
    type: 'null',
    description: 'The entity tag in `If-None-Match` is still that of the bytes.',
  }),
}

/** The SHA-256 of the bytes of a blob, in hexadecimal digits. */
export async function sha256Of(
  repository: Repository,
  blob: ObjectInfo,
  signal?: AbortSignal,
): Promise<string> {
  const hash = createHash('sha256')
  if (blob.size <= SMALL) hash.update(await readExisting(repository, blob.id, 'blob'))
  else for await (const piece of (await streamBlob(repository, blob.id, signal)).all) hash.update(piece)
  return hash.digest('hex')
}

/** Answers with the bytes of a blob. Browsers never run what is in it. HEAD sends the headers alone. */
export async function sendBlob(
  req: FastifyRequest,
  reply: FastifyReply,
  repository: Repository,
  { id, size, filename }: ObjectInfo & { readonly filename: string },
): Promise<Readable | Buffer | undefined> {
  const etag = `"${id}"`
  reply.headers({
    etag,
    'content-disposition': `inline; ${fileNameParameters(filename)}`,
    'content-security-policy': "default-src 'none'; sandbox",
  })
  if (isKnown(req, etag)) return sendHead(reply.code(304))
  reply.header('content-length', size)
  if (size <= SMALL) {
    const bytes = await readExisting(repository, id, 'blob')
    reply.type(mediaTypeOf(bytes))
    return req.method === 'HEAD' ? sendHead(reply) : bytes
  }
  const { first, all, end } = await streamBlob(repository, id, clientOf(reply))
  reply.type(mediaTypeOf(first))
  if (req.method !== 'HEAD') return all
  end()
  return sendHead(reply)
}

/** How far bytes are looked at to tell text from anything else, as git does. */
const LOOKED_AT = 8_000

function mediaTypeOf(bytes: Buffer): string {
  const begin = bytes.subarray(0, LOOKED_AT)
  if (begin.includes(0)) return 'application/octet-stream'
  try {
    // With `stream`, a character that is cut off at the end is no fault.
    new TextDecoder('utf-8', { fatal: true }).decode(begin, { stream: true })
    return 'text/plain; charset=utf-8'
  } catch {
    return 'text/plain'
  }
}

/** The content of a blob in JSON. */
export const base64Content = { encoding: Type.Literal('base64'), content: Type.String() }

interface Base64Content {
  readonly encoding: 'base64'
  readonly content: string
}

/**
 * Answers with a JSON object whose last field is the content of a blob. A large one is encoded while it is sent.
 * @param fields what comes before the content.
 * @throws 413 beyond {@link LARGEST}
 */
export async function sendBase64<Fields extends object>(
  req: FastifyRequest,
  reply: FastifyReply,
  repository: Repository,
  blob: ObjectInfo,
  fields: Fields,
): Promise<(Fields & Base64Content) | undefined> {
  assertFitsJson(blob)
  if (blob.size <= SMALL) {
    const bytes = await readExisting(repository, blob.id, 'blob')
    return { ...fields, encoding: 'base64', content: bytes.toString('base64') }
  }
  reply.type('application/json')
  if (req.method === 'HEAD') return sendHead(reply)
  const { all } = await streamBlob(repository, blob.id, clientOf(reply))
  return reply.send(Readable.from(encoded({ ...fields, encoding: 'base64' }, all)))
}

async function* encoded(fields: object, bytes: AsyncIterable<Buffer>): AsyncGenerator<string> {
  yield `${JSON.stringify(fields).slice(0, -1)},"content":"`
  let rest = Buffer.alloc(0)
  for await (const piece of bytes) {
    const all = rest.length === 0 ? piece : Buffer.concat([rest, piece])
    // Three bytes make four characters, so pieces that are multiples of three can be put together.
    const whole = all.length - (all.length % 3)
    yield all.toString('base64', 0, whole)
    rest = Buffer.from(all.subarray(whole))
  }
  yield `${rest.toString('base64')}"}`
}
