import { isRedirectUri } from '#identity/applications/redirect-uris.ts'
import type { Db } from '#platform/db/pool.ts'
import { badRequest } from '#platform/refusals.ts'
import { invalidRequest, invalidScope, OAuthError } from './errors.ts'
import type { AuthorizationParameters } from './parameters.ts'
import { findApplicationByUid, type ApplicationWithOwner } from './queries.ts'
import { grantable, scopesFor } from './scopes.ts'

/** The application and its redirect URI. Once both are known, the application can be told about any other error. */
export interface AuthorizationRequest {
  readonly application: ApplicationWithOwner
  readonly redirectUri: string
  readonly state: string | undefined
}

/** The requested scopes and code challenge. */
export interface Wish {
  readonly scopes: string[]
  readonly codeChallenge: string | null
}

/**
 * Finds the application that sent the user here.
 * @throws 400 when it is unknown or the redirect URI is not one of its own. The user sees that error and must not be
 * redirected (RFC 6749 §4.1.2.1).
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
 * Reads what the application asks for, limited to what this user can grant.
 * @throws {OAuthError} for the application (RFC 6749 §4.1.2.1, RFC 7636 §4.4.1).
 */
export function readWish(
  given: AuthorizationParameters,
  application: ApplicationWithOwner,
  user: { readonly admin: boolean },
): Wish {
  const { response_type, response_mode = 'query', code_challenge, code_challenge_method } = given
  if (response_type === undefined) throw invalidRequest('response_type is missing')
  if (response_type !== 'code') throw new OAuthError('unsupported_response_type', 'Only code is supported.')
  if (response_mode !== 'query') throw invalidRequest('Only the response_mode query is supported.')
  if (code_challenge === undefined && !application.confidential) {
    throw invalidRequest('code_challenge is missing: public applications need PKCE.')
  }
  // An absent method means plain (RFC 7636 §4.3), which proves nothing: anybody who saw the request knows the verifier.
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

/**
 * The redirect URI with the answer. It keeps its own query (RFC 6749 §3.1.2), and `iss` names the issuer (RFC 9207).
 */
export function answerUri(
  { redirectUri, state }: AuthorizationRequest,
  issuer: string,
  answer: Readonly<Record<string, string>>,
): string {
  const parameters = new URLSearchParams({ ...answer, ...(state !== undefined && { state }), iss: issuer })
  return `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${parameters.toString()}`
}
