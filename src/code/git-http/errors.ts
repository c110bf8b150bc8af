import type { FastifyReply, FastifyRequest } from 'fastify'
import { type HttpError, levelOfFailure, meaningOf } from '#platform/http/errors.ts'
import { reasonIn } from '#platform/known-texts.ts'

const CHALLENGE = 'Basic realm="Forgelet", charset="UTF-8"'

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
  if (!request.raw.complete) reply.header('connection', 'close')
  if (known?.status === 401) reply.header('www-authenticate', CHALLENGE)
  reply
    .header('cache-control', 'no-cache')
    .type('text/plain; charset=utf-8')
    .serializer(String)
    .send(method === 'HEAD' ? '' : `${known === undefined ? 'The server failed.' : sentenceOf(known)}\n`)
}

/** What a refusal says, without the status before it. */
export function sentenceOf({ body }: HttpError): string {
  if (typeof body === 'string') return body
  const { message, error_description: description, scope } = body
  if (description !== undefined)
    return scope === undefined ? description : `${description} It takes: ${scope}.`
  return typeof message === 'string' ? reasonIn(message) : JSON.stringify(message)
}
