import type { ApplicationRow } from '#identity/applications/entity.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { invalidScope, OAuthError } from './errors.ts'
import { issueAccessToken, type TokenAnswer } from './issue-tokens.ts'
import type { TokenRequest } from './parameters.ts'
import { scopesFor } from './scopes.ts'

/**
 * A token for what an application does on its own behalf (RFC 6749 §4.4): no user, so that the API refuses it, and
 * no refresh token.
 * @throws 400 for public clients, who cannot prove that it is them.
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
