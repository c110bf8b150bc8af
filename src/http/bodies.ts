import { Busboy } from '@fastify/busboy'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { HttpError } from './errors.ts'
import { type Attachment, nest, UnreadableNames } from './nested.ts'

/** Bytes of a body as a whole, and of an uploaded file. */
export const BODY_LIMIT = 8 * 1024 * 1024
const MAX_FILES = 10
const MAX_FIELD_BYTES = 4 * 1024 * 1024

const unreadable = (because: string) => new HttpError(400, { error: because })

/** The query string as nested values. @throws 400 when its names contradict each other. */
export function readQuery(query: string): Record<string, unknown> {
  return query === '' ? {} : nestOrRefuse(new URLSearchParams(query))
}

function nestOrRefuse(pairs: Iterable<readonly [string, string | Attachment]>): Record<string, unknown> {
  try {
    return nest(pairs)
  } catch (error) {
    if (error instanceof UnreadableNames) throw unreadable(error.message)
    throw error
  }
}

/**
 * The three kinds of bodies that every endpoint takes: JSON (an empty one means no parameters), forms and
 * multipart. Anything else is 415.
 */
export function readBodies(app: FastifyInstance): void {
  // Clients send parameters of a GET in its body, too.
  app.addHttpMethod('GET', { hasBody: true, overrideExisting: true })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'string' },
    async (_: FastifyRequest, body: string) => readJson(body),
  )
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    async (_: FastifyRequest, body: string) => readQuery(body),
  )
  app.addContentTypeParser('multipart/form-data', readMultipart)
}

function readJson(body: string): Record<string, unknown> {
  if (body.trim() === '') return {}
  let value: unknown
  try {
    value = JSON.parse(body)
  } catch (error) {
    throw unreadable(error instanceof Error ? `The body is not valid JSON: ${error.message}` : String(error))
  }
  if (value === null) return {}
  if (typeof value !== 'object' || Array.isArray(value)) {
    throw unreadable('The body should be a JSON object of parameters.')
  }
  return Object.fromEntries(Object.entries(value))
}

async function readMultipart(
  request: FastifyRequest,
  payload: NodeJS.ReadableStream,
): Promise<Record<string, unknown>> {
  const contentType = request.headers['content-type']
  if (contentType === undefined || !/boundary=/i.test(contentType)) {
    throw unreadable('The multipart body has no boundary.')
  }
  const pairs = await new Promise<[string, string | Attachment][]>((resolve, reject) => {
    const found: [string, string | Attachment][] = []
    const fail = (error: unknown) => {
      payload.unpipe(reader)
      payload.resume()
      reject(error)
    }
    const broken = (error: unknown) => fail(unreadable(`The multipart body cannot be read: ${String(error)}`))
    const tooLarge = () => fail(new HttpError(413, { message: '413 Request Entity Too Large' }))
    const reader = new Busboy({
      headers: { ...request.headers, 'content-type': contentType },
      limits: { fileSize: BODY_LIMIT, fieldSize: MAX_FIELD_BYTES, files: MAX_FILES, fields: 5_000 },
    })
    reader.on('field', (name, value, _, valueTruncated) => {
      if (valueTruncated) tooLarge()
      else found.push([name, value])
    })
    reader.on('file', (name, stream, filename, _, mediaType) => {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('limit', tooLarge)
      // A body that ends inside a file is told to the file alone, and nobody else would catch it.
      stream.on('error', broken)
      stream.on('end', () => found.push([name, { filename, mediaType, data: Buffer.concat(chunks) }]))
    })
    for (const limit of ['filesLimit', 'fieldsLimit', 'partsLimit'] as const) reader.on(limit, tooLarge)
    reader.on('finish', () => resolve(found))
    reader.on('error', broken)
    payload.on('error', fail)
    payload.on('aborted', () => fail(unreadable('The body ended early.')))
    let bytes = 0
    payload.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > BODY_LIMIT) tooLarge()
    })
    payload.pipe(reader)
  })
  return nestOrRefuse(pairs)
}
