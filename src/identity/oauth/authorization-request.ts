import { isRedirectUri } from '#identity/applications/redirect-uris.ts'
import type { Db } from '#platform/db/pool.ts'
import { badRequest } from '#platform/http/errors.ts'
import { invalidRequest, invalidScope, OAuthError } from './errors.ts'
import type { AuthorizationParameters } from './parameters.ts'
import { findApplicationByUid, type ShownApplication } from './queries.ts'
import { grantable, scopesFor } from './scopes.ts'

/** Who asks, and where to send the answer: whatever else is wrong can be told to the application. */
export interface AuthorizationRequest {
  readonly application: ShownApplication
  readonly redirectUri: string
  readonly state: string | undefined
}

/** What it asks for. */
export interface Wish {
  readonly scopes: string[]
  readonly codeChallenge: string | null
}

/**
 * Finds out which application sent somebody here.
 * @throws 400 when it is unknown or the redirect URI is not one of its own: that is told to the person, who must not be
 * sent anywhere (RFC 6749 §4.1.2.1).
 */
export async function readRequest(db: Db, given: AuthorizationParameters): Promise<AuthorizationRequest> {
  const { client_id, redirect_uri: redirectUri, state } = given
  const application = client_id === undefined ? undefined : await findApplicationByUid(db, client_id)
  if (application === undefined) throw badRequest('no application has this client id')
  if (redirectUri === undefined) throw badRequest('the redirect URI is missing')
  if (!isRedirectUri(application, redirectUri)) {
    throw badRequest('the redirect URI is not one that the application registered')
  }
  return { application, redirectUri, state }
}

/**
 * What the application may be given by this user, when they agree.
 * @throws {OAuthError} what the application is told (RFC 6749 §4.1.2.1, RFC 7636 §4.4.1).
 */
export function readWish(
  given: AuthorizationParameters,
  application: ShownApplication,
  user: { readonly admin: boolean },
): Wish {
  const { response_type, response_mode = 'query', code_challenge, code_challenge_method } = given
  if (response_type === undefined) throw invalidRequest('response_type is missing')
  if (response_type !== 'code') throw new OAuthError('unsupported_response_type', 'Only code is supported.')
  if (response_mode !== 'query') throw invalidRequest('Only the response_mode query is supported.')
  if (code_challenge === undefined && !application.confidential) {
    throw invalidRequest('code_challenge is missing: public applications need PKCE.')
  }
  // Without a method it would be plain (RFC 7636 §4.3), which proves nothing to whoever saw the request.
  if ((code_challenge ?? code_challenge_method) !== undefined && code_challenge_method !== 'S256') {
    throw invalidRequest('Only the code_challenge_method S256 is supported.')
  }
  if (code_challenge !== undefined && !/^[\w-]{43}$/.test(code_challenge)) {
    throw invalidRequest('code_challenge is not a SHA-256 in base64url.')
  }
  const scopes = grantable(scopesFor(application.scopes, given.scope) ?? [], user)
  if (scopes.length === 0) throw invalidScope()
  return { scopes, codeChallenge: code_challenge ?? null }
}

/** The redirect URI with the answer: its own query stays (RFC 6749 §3.1.2), and `iss` says whose it is (RFC 9207). */
export function answerUri(
  { redirectUri, state }: AuthorizationRequest,
  issuer: string,
  answer: Readonly<Record<string, string>>,
): string {
  const parameters = new URLSearchParams({ ...answer, ...(state !== undefined && { state }), iss: issuer })
  return `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${parameters.toString()}`
}
