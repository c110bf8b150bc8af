import { Busboy } from '@fastify/busboy'
import type { FastifyRequest } from 'fastify'
import { TooLarge } from '#platform/refusals.ts'
import { UnreadableBody } from './errors.ts'
import type { Attachment } from './nested.ts'

/** The maximum numbers of parts. Their bytes are limited together with the whole body. */
const LIMITS = { files: 10, fields: 5_000, fieldSize: Number.POSITIVE_INFINITY }

type Pair = readonly [name: string, value: string | Attachment]

const unreadable = (because: string) => new UnreadableBody(because)
const tooMany = () => new TooLarge()

/**
 * Reads the parts of a multipart body: texts and files.
 * @throws 400 for what cannot be read, including a part without a name; 413 for too many parts.
 */
export async function readMultipart(
  { headers }: Pick<FastifyRequest, 'headers'>,
  bytes: AsyncIterable<Buffer>,
): Promise<Pair[]> {
  const contentType = headers['content-type']
  if (contentType === undefined || !/boundary=/i.test(contentType)) {
    throw unreadable('The multipart body has no boundary.')
  }
  const found: Pair[] = []
  const add = (name: unknown, value: string | Attachment) => {
    if (typeof name === 'string' && name !== '') found.push([name, value])
    else stop(unreadable('A part of the multipart body has no name.'))
  }
  const broken = (error: unknown) => stop(unreadable(`The multipart body cannot be read: ${String(error)}`))
  const { promise: read, resolve: finish, reject } = Promise.withResolvers<void>()
  const stopped = new AbortController()
  const stop = (error: Error) => {
    stopped.abort()
    reject(error)
  }
  const reader = new Busboy({ headers: { ...headers, 'content-type': contentType }, limits: LIMITS })
  reader.on('field', (name, value) => add(name, value))
  reader.on('file', (name, stream, filename, _, mediaType) => {
    const chunks: Buffer[] = []
    stream.on('data', (chunk: Buffer) => chunks.push(chunk))
    // When a body ends inside a file, only the file's stream gets the error, so it is caught here.
    stream.on('error', broken)
    stream.on('end', () => add(name, { filename, mediaType, data: Buffer.concat(chunks) }))
  })
  for (const limit of ['filesLimit', 'fieldsLimit', 'partsLimit'] as const) {
    reader.on(limit, () => stop(tooMany()))
  }
  reader.on('finish', finish)
  reader.on('error', broken)
  await Promise.race([feed(reader, bytes, stopped.signal), read])
  await read
  return found
}

/** Needs no back pressure: what the reader holds is already counted and limited. */
async function feed(
  reader: NodeJS.WritableStream,
  bytes: AsyncIterable<Buffer>,
  stopped: AbortSignal,
): Promise<void> {
  for await (const piece of bytes) {
    if (stopped.aborted) return
    reader.write(piece)
  }
  reader.end()
}
