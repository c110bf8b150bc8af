import { timingSafeEqual } from 'node:crypto'
import type { ApplicationRow } from '#identity/applications/entity.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { invalidGrant, invalidRequest, invalidScope, type OAuthError } from './errors.ts'
import { isPast, lockGrant, refuseReuse } from './grants.ts'
import { issueTokens, type TokenAnswer } from './issue-tokens.ts'
import type { TokenRequest } from './parameters.ts'
import { readRefreshToken } from './refresh-token.ts'
import { scopesFor } from './scopes.ts'

/**
 * Replaces a consent's tokens by new ones; the old ones end at once (RFC 6749 §6). A refresh token that was replaced
 * before ends all of them (RFC 9700 §4.14.2): when several requests race, one wins, and the next one ends what it won.
 *
 * @returns a refusal where something was ended that must be committed.
 */
export async function refreshTokens(
  tx: Tx,
  client: ApplicationRow,
  given: TokenRequest,
): Promise<TokenAnswer | OAuthError> {
  if (given.refresh_token === undefined) throw invalidRequest('refresh_token is missing')
  const shown = readRefreshToken(given.refresh_token)
  const grant = shown && (await lockGrant(tx, 'family_digest', shown.familyDigest))
  if (shown === undefined || grant === undefined || grant.application_id !== client.id) {
    throw invalidGrant('The refresh token is unknown.')
  }
  if (grant.refresh_digest === null || !timingSafeEqual(shown.digest, grant.refresh_digest)) {
    await refuseReuse(tx, client, grant, 'refresh token')
    return invalidGrant('The refresh token was used already.')
  }
  if (isPast(grant, tx.now)) throw invalidGrant('The refresh token has expired or was revoked.')
  if (!grant.user_active) throw invalidGrant('The user may not sign in.')
  // The new refresh token covers everything granted, whatever this access token covers (RFC 6749 §6).
  const scopes = given.scope === undefined ? grant.scopes : scopesFor(grant.scopes, given.scope)
  if (scopes === undefined) throw invalidScope()
  return issueTokens(tx, grant, scopes, shown.family)
}
