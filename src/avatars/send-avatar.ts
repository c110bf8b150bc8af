import type { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { notFound } from '#http/errors.ts'
import { isKnown, sendHead } from '#http/headers.ts'

/**
 * Answers with the picture under a key. It is made by us and always a PNG; the headers keep browsers from taking it
 * for anything else, and from asking for it again while it is the same. Only a GET for another one opens the file.
 * @throws 404 when there is none.
 */
export async function sendAvatar(
  req: FastifyRequest,
  reply: FastifyReply,
  key: string | null,
): Promise<Readable | undefined> {
  const { blobs } = req.server.services
  const etag = key === null ? '' : `"${key.split('/').join('')}"`
  const needed = req.method !== 'HEAD' && !isKnown(req, etag)
  const found = key === null ? undefined : await (needed ? blobs.get(key) : blobs.size(key))
  if (found === undefined) throw notFound('Avatar')
  reply.headers({
    etag,
    'content-disposition': 'inline; filename="avatar.png"',
    'content-security-policy': "default-src 'none'; sandbox",
    'cross-origin-resource-policy': 'cross-origin',
  })
  if (isKnown(req, etag)) return sendHead(reply.code(304))
  reply.type('image/png')
  return typeof found === 'number' ? sendHead(reply.header('content-length', found)) : found
}
