import type { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { notFound } from '#http/errors.ts'
import { isKnown } from '#http/headers.ts'

/**
 * Answers with the picture under a key. It is made by us and always a PNG; the headers keep browsers from taking it
 * for anything else, and from asking for it again while it is the same.
 * @throws 404 when there is none.
 */
export async function sendAvatar(
  req: FastifyRequest,
  reply: FastifyReply,
  key: string | null,
): Promise<Readable | undefined> {
  const picture = key === null ? undefined : await req.server.services.blobs.get(key)
  if (key === null || picture === undefined) throw notFound('Avatar')
  const etag = `"${key.split('/').join('')}"`
  reply.headers({
    etag,
    'content-disposition': 'inline; filename="avatar.png"',
    'content-security-policy': "default-src 'none'; sandbox",
    'cross-origin-resource-policy': 'cross-origin',
  })
  if (isKnown(req, etag)) {
    picture.destroy()
    reply.code(304).send()
    return undefined
  }
  reply.type('image/png')
  return picture
}
