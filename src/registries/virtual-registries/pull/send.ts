import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Readable } from 'node:stream'
import { isKnown, sendHead } from '#platform/http/headers.ts'
import { rangeOf } from '#platform/files/send-file.ts'
import { type Entry, forgetEntry } from '../cache/entries.ts'
import type { ServedBlob } from './blobs.ts'
import type { PullContext } from './context.ts'
import { RegistryError } from '../../oci/errors.ts'
import type { ServedManifest } from './manifests.ts'

/** How often what is being served counts as used, so that nothing takes it away: in milliseconds. */
const TOUCH = 4 * 60_000

const warnings = { stale: '110 - "Response is Stale"' } as const

function describe(reply: FastifyReply, digest: string, result: string): string {
  const etag = `"${digest}"`
  reply.headers({ etag, 'docker-content-digest': digest, 'x-virtual-registry-cache': result })
  return etag
}

/** What a digest names never changes; a tag may change at any time. */
const caching = (isDigest: boolean) => ({
  'cache-control': isDigest ? 'private, max-age=31536000, immutable' : 'private, no-cache',
})

/** Answers with a manifest. */
export async function sendManifest(
  context: PullContext,
  req: FastifyRequest,
  reply: FastifyReply,
  { entry, result }: ServedManifest,
  isDigest: boolean,
): Promise<Buffer | undefined> {
  const etag = describe(reply, entry.digest, result)
  reply.headers(caching(isDigest))
  if (result === 'stale') reply.header('warning', warnings.stale)
  context.metrics.count('manifest', result)
  if (isKnown(req, etag)) return sendHead(reply.code(304))
  // Set by hand: Fastify would add a charset.
  reply.header('content-type', entry.mediaType)
  if (req.method === 'HEAD') return sendHead(reply.header('content-length', entry.file.size))
  context.usage.note(entry.id)
  return bytesOf(context, entry)
}

async function bytesOf(context: PullContext, entry: Entry): Promise<Buffer> {
  const { file } = entry
  const recent = context.recent.get(file.sha256)
  if (recent !== undefined) return recent
  const pieces: Buffer[] = []
  for await (const piece of await openStored(context, entry)) pieces.push(Buffer.from(piece))
  const bytes = Buffer.concat(pieces)
  context.recent.keep(file.sha256, bytes)
  return bytes
}

/** @throws RegistryError 503 when the bytes are lost: then the next request gets them from the upstream again */
async function openStored(
  context: PullContext,
  entry: Entry,
  range?: { start: number; end: number },
): Promise<Readable> {
  const bytes = await context.services.files.read(entry.file, range)
  if (bytes !== undefined) return bytes
  await forgetEntry(context.services.db, entry.id)
  throw new RegistryError(503, 'UNAVAILABLE', 'what was kept is lost; try again', { 'retry-after': '1' })
}

/** Answers with a blob, or a part of it: from the store, by a redirect to it, or as it comes from an upstream. */
export async function sendBlob(
  context: PullContext,
  req: FastifyRequest,
  reply: FastifyReply,
  found: ServedBlob,
  digest: string,
): Promise<Readable | undefined> {
  if (found.kind === 'kept') {
    context.metrics.count('blob', 'hit')
    return sendKept(context, req, reply, found.entry, 'hit')
  }
  context.metrics.count('blob', 'miss')
  const { download } = found
  const { size } = download
  const range = size === undefined ? undefined : rangeOf(req, `"${digest}"`, size)
  // Only whole blobs can be verified. What goes on to the end comes at once, because its last byte waits for that.
  const isToEnd = range === undefined || range.end + 1 === size
  const bytes = isToEnd ? download.stream(range?.start) : undefined
  if (bytes === undefined) {
    const entry = await found.kept
    if (entry === undefined)
      throw new RegistryError(502, 'BLOB_UNKNOWN', 'the upstream did not send the blob', {
        'retry-after': '1',
      })
    return sendKept(context, req, reply, entry, 'miss')
  }
  describe(reply, digest, 'miss')
  reply.headers({ ...caching(true), 'accept-ranges': 'bytes', 'content-type': 'application/octet-stream' })
  const start = range?.start ?? 0
  if (size !== undefined) reply.header('content-length', size - start)
  if (range !== undefined) reply.code(206).header('content-range', `bytes ${start}-${range.end}/${size}`)
  return bytes
}

async function sendKept(
  context: PullContext,
  req: FastifyRequest,
  reply: FastifyReply,
  entry: Entry,
  result: 'hit' | 'miss',
): Promise<Readable | undefined> {
  const { file, digest, mediaType } = entry
  const etag = describe(reply, digest, result)
  reply.headers({ ...caching(true), 'accept-ranges': 'bytes' })
  if (isKnown(req, etag)) return sendHead(reply.code(304))
  reply.header('content-type', mediaType)
  if (req.method === 'HEAD') return sendHead(reply.header('content-length', file.size))
  context.usage.note(entry.id)
  const url = await context.services.files.signedUrl(file, { mediaType, disposition: 'attachment' })
  if (url !== undefined) {
    reply.redirect(url, 307)
    return undefined
  }
  const range = rangeOf(req, etag, file.size)
  const { start, end } = range ?? { start: 0, end: file.size - 1 }
  const bytes = await openStored(context, entry, range)
  reply.header('content-length', end - start + 1)
  if (range !== undefined) reply.code(206).header('content-range', `bytes ${start}-${end}/${file.size}`)
  const touching = setInterval(() => context.usage.note(entry.id, 0), TOUCH).unref()
  reply.raw.once('close', () => clearInterval(touching))
  return bytes
}

/** Tells of a blob that no upstream has sent yet. */
export function describeBlob(reply: FastifyReply, digest: string, size: number | undefined): undefined {
  describe(reply, digest, 'miss')
  reply.header('content-type', 'application/octet-stream')
  return sendHead(size === undefined ? reply : reply.header('content-length', size))
}
