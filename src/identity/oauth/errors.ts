import type { FastifyInstance } from 'fastify'
import { type ErrorBody, HttpError, meaningOf, writeError } from '#platform/http/errors.ts'

/** OAuth error codes: RFC 6749 §4.1.2.1 and §5.2, RFC 8628 §3.5. */
export type OAuthErrorCode =
  | 'access_denied'
  | 'authorization_pending'
  | 'expired_token'
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_request'
  | 'invalid_scope'
  | 'invalid_token'
  | 'slow_down'
  | 'temporarily_unavailable'
  | 'unauthorized_client'
  | 'unsupported_grant_type'
  | 'unsupported_response_type'

/**
 * An OAuth error. It is thrown while nothing has changed. Functions return it instead when they ended something that
 * must be committed along with the refusal.
 */
export class OAuthError extends HttpError {
  readonly code: OAuthErrorCode
  readonly description: string

  constructor(
    code: OAuthErrorCode,
    description: string,
    status = 400,
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(status, { error: code, error_description: description }, headers)
    this.code = code
    this.description = description
  }
}

export const invalidRequest = (description: string) => new OAuthError('invalid_request', description)
export const invalidGrant = (description: string) => new OAuthError('invalid_grant', description)
export const invalidScope = () =>
  new OAuthError('invalid_scope', 'The scope is unknown, or more than the application may have.')

/** RFC 6749 §5.2: 401 with the scheme by which clients may authenticate. */
export const invalidClient = () =>
  new OAuthError('invalid_client', 'The client is unknown, or its authentication failed.', 401, {
    'www-authenticate': 'Basic realm="OAuth"',
  })

/** RFC 6750 §3: the error of the token sent as `Authorization: Bearer`. */
export const refusedBearer = (code: 'invalid_request' | 'invalid_token', description: string) =>
  new OAuthError(code, description, 401, {
    'www-authenticate': `Bearer realm="OAuth", error="${code}", error_description="${description}"`,
  })

/** Turns every error of the routes below `app` into one that OAuth clients understand. */
export function answerWithOAuthErrors(app: FastifyInstance): void {
  app.setErrorHandler((thrown, request, reply) => {
    const known = meaningOf(thrown, request)
    const translated = known === undefined || known instanceof OAuthError ? thrown : inOAuthWords(known)
    writeError(translated, request, reply)
  })
}

function inOAuthWords({ status, body, headers }: HttpError): OAuthError {
  if (status === 429) return new OAuthError('temporarily_unavailable', TOO_OFTEN, status, headers)
  const code = status === 503 ? 'temporarily_unavailable' : 'invalid_request'
  return new OAuthError(code, printable(sentenceOf(body)), status, headers)
}

const TOO_OFTEN = 'Too many requests were refused. Try again later.'

function sentenceOf(body: ErrorBody | string): string {
  if (typeof body === 'string') return body
  return body.error ?? (typeof body.message === 'string' ? body.message : 'The request cannot be read.')
}

/** Keeps only the characters that a description may have (RFC 6749 §5.2). */
const printable = (text: string) => text.replace(/[^\x20\x21\x23-\x5B\x5D-\x7E]/g, "'")
