import type { FastifyReply, FastifyRequest } from 'fastify'
import { sentenceOf } from '#code/git-transport/errors.ts'
import { LFS_TYPE } from './answers.ts'
import { CHALLENGE, levelOfFailure, meaningOf } from '#platform/http/errors.ts'

/** Writes refusals as clients of LFS show them, and asks for credentials as git's helpers expect it. */
export function writeLfsError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const known = meaningOf(error, request)
  if (known === undefined) request.log[levelOfFailure(request)]({ err: error }, 'request failed')
  else if (known.status >= 500) request.log.warn({ err: error }, 'LFS is not available')
  reply.code(known?.status ?? 500).headers(known?.headers ?? {})
  if (!request.raw.complete) reply.header('connection', 'close')
  if (known?.status === 401) reply.headers({ 'www-authenticate': CHALLENGE, 'lfs-authenticate': CHALLENGE })
  const message = known === undefined ? 'The server failed.' : sentenceOf(known)
  reply
    .header('cache-control', 'no-cache')
    .type(LFS_TYPE)
    .serializer(String)
    .send(JSON.stringify({ message, request_id: request.id }))
}
