import type { FastifyReply, FastifyRequest } from 'fastify'
import { sentenceOf } from '#code/git-transport/errors.ts'
import { CHALLENGE, levelOfFailure, meaningOf } from '#platform/http/errors.ts'
import { leaveRest } from './transfer.ts'

export const NO_PASSWORDS =
  'Git needs an access token: passwords are not accepted, and this one is no valid token. ' +
  'Make a personal access token with the scope read_repository or write_repository, and use it as the password.'

/** Writes refusals as text, because git shows nothing else, and asks for credentials as git's helpers expect it. */
export function writeGitError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const known = meaningOf(error, request)
  const { method } = request
  if (known === undefined) request.log[levelOfFailure(request)]({ err: error }, 'request failed')
  else if (known.status >= 500) request.log.warn({ err: error }, 'a repository is not available')
  reply.code(known?.status ?? 500).headers(known?.headers ?? {})
  leaveRest(request)
  if (known?.status === 401) reply.header('www-authenticate', CHALLENGE)
  reply
    .header('cache-control', 'no-cache')
    .type('text/plain; charset=utf-8')
    .serializer(String)
    .send(method === 'HEAD' ? '' : `${known === undefined ? 'The server failed.' : sentenceOf(known)}\n`)
}
