import { Busboy } from '@fastify/busboy'
import type { FastifyRequest } from 'fastify'
import { HttpError } from './errors.ts'
import type { Attachment } from './nested.ts'

/** How many parts there may be. Their bytes are limited with those of the whole body. */
const LIMITS = { files: 10, fields: 5_000, fieldSize: Number.POSITIVE_INFINITY }

type Pair = readonly [name: string, value: string | Attachment]

const unreadable = (because: string) => new HttpError(400, { error: because })
const tooMany = () => new HttpError(413, { message: '413 Request Entity Too Large' })

/**
 * The parts of a multipart body: texts, and files as they are.
 * @throws 400 for what cannot be read, a part without a name included; 413 for too many parts.
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
  const stop = (error: HttpError) => {
    stopped.abort()
    reject(error)
  }
  const reader = new Busboy({ headers: { ...headers, 'content-type': contentType }, limits: LIMITS })
  reader.on('field', (name, value) => add(name, value))
  reader.on('file', (name, stream, filename, _, mediaType) => {
    const chunks: Buffer[] = []
    stream.on('data', (chunk: Buffer) => chunks.push(chunk))
    // A body that ends inside a file is told to the file alone, and nobody else would catch it.
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

/** The reader need not slow anybody down: what it holds is counted and limited already. */
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
