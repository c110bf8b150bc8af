import type { ApplicationRow } from '#identity/applications/entity.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { invalidScope, OAuthError } from './errors.ts'
import { issueAccessToken, type TokenAnswer } from './issue-tokens.ts'
import type { TokenRequest } from './parameters.ts'
import { scopesFor } from './scopes.ts'

/**
 * Issues a token with which an application acts on its own behalf (RFC 6749 §4.4). It has no user, so the API refuses
 * it, and no refresh token.
 * @throws 400 for public clients, because they cannot authenticate.
 */
export async function grantClientCredentials(
  tx: Tx,
  client: ApplicationRow,
  given: TokenRequest,
): Promise<TokenAnswer> {
  if (!client.confidential) {
    throw new OAuthError('unauthorized_client', 'Only confidential applications may use this grant.')
  }
  const scopes = scopesFor(client.scopes, given.scope)
  if (scopes === undefined) throw invalidScope()
  return issueAccessToken(tx, { application_id: client.id, user_id: null, grant_id: null, scopes })
}
