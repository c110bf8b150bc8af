import type { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { sendFile } from '#platform/files/send-file.ts'
import { notFound } from '#platform/refusals.ts'
import { extensionOf } from '#identity/avatars/formats.ts'

/**
 * Answers with a picture.
 * @param id that of its file.
 * @throws 404 when there is none.
 */
export async function sendAvatar(
  req: FastifyRequest,
  reply: FastifyReply,
  id: string | null,
): Promise<Readable | undefined> {
  const file = id === null ? undefined : await req.server.services.files.find(id)
  const extension = extensionOf(file?.mediaType)
  if (file?.mediaType == null || extension === undefined) throw notFound('Avatar')
  const filename = `avatar.${extension}`
  return sendFile(req, reply, file, { filename, mediaType: file.mediaType, inline: true })
}
