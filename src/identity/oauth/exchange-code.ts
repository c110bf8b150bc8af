import { hash, timingSafeEqual } from 'node:crypto'
import { digestOf } from '#platform/access/digest.ts'
import type { ApplicationRow } from '#identity/applications/entity.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { invalidGrant, invalidRequest, type OAuthError } from './errors.ts'
import { endGrant, type Grant, isPast, lockGrant, refuseReuse } from './grants.ts'
import { issueTokens, type TokenAnswer } from './issue-tokens.ts'
import type { TokenRequest } from './parameters.ts'

/**
 * Exchanges an authorization code for tokens, once (RFC 6749 §4.1.3, RFC 7636 §4.6). A wrong redirect URI or verifier
 * uses the code up. Using it a second time, with everything right, ends the tokens made from it. A wrong request with a
 * used code ends nothing, so that somebody who merely saw the code cannot sign anybody out.
 *
 * @returns a refusal where something was ended that must be committed.
 */
export async function exchangeCode(
  tx: Tx,
  client: ApplicationRow,
  given: TokenRequest,
): Promise<TokenAnswer | OAuthError> {
  if (given.code === undefined) throw invalidRequest('code is missing')
  const grant = await lockGrant(tx, 'code_digest', digestOf(given.code))
  if (grant === undefined || grant.application_id !== client.id) throw invalidGrant('The code is unknown.')
  if (!isBoundTo(grant, given)) {
    if (grant.refreshed_at === null) await endGrant(tx, grant.id)
    return invalidGrant('The redirect URI or the code verifier is not the one of the authorization request.')
  }
  if (grant.refreshed_at !== null) {
    await refuseReuse(tx, client, grant, 'code')
    return invalidGrant('The code was used already.')
  }
  if (isPast(grant, tx.now)) throw invalidGrant('The code has expired.')
  if (!grant.user_active) throw invalidGrant('The user may not sign in.')
  return issueTokens(tx, grant, grant.scopes)
}

/**
 * Without a challenge there must be no verifier either: otherwise an attacker could remove the challenge (RFC 9700
 * §4.8.2).
 */
function isBoundTo(
  { redirect_uri, code_challenge }: Grant,
  given: Pick<TokenRequest, 'redirect_uri' | 'code_verifier'>,
): boolean {
  return given.redirect_uri === redirect_uri && isVerifier(given.code_verifier, code_challenge)
}

function isVerifier(verifier: string | undefined, challenge: string | null): boolean {
  if (verifier === undefined || challenge === null) return verifier === undefined && challenge === null
  if (!/^[\w.~-]{43,128}$/.test(verifier)) return false
  return timingSafeEqual(hash('sha256', verifier, 'buffer'), Buffer.from(challenge, 'base64url'))
}
