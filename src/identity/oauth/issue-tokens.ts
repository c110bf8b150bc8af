import { digestOf } from '#platform/access/digest.ts'
import { OAUTH_PREFIX } from '#platform/access/credentials.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { endAccessTokens, type Grant } from './grants.ts'
import { epochSeconds, lifetimes, secondsAfter } from './lifetimes.ts'
import { newRefreshToken } from './refresh-token.ts'

/** The answer of the token endpoint (RFC 6749 §5.1), with one more field that clients expect. */
export interface TokenAnswer {
  readonly access_token: string
  readonly token_type: 'Bearer'
  readonly expires_in: number
  readonly refresh_token?: string
  readonly scope: string
  readonly created_at: number
}

/**
 * Makes the tokens of a consent, which replace those that it had.
 * @param family what its refresh tokens have in common; a new one for the first.
 */
export async function issueTokens(
  tx: Tx,
  grant: Grant,
  scopes: readonly string[],
  family?: string,
): Promise<TokenAnswer> {
  const refresh = newRefreshToken(tx, family)
  await tx.db
    .updateTable('oauth_grants')
    .set({
      refreshed_at: tx.now,
      ends_at: secondsAfter(tx.now, lifetimes.refreshToken),
      family_digest: refresh.familyDigest,
      refresh_digest: refresh.digest,
    })
    .where('id', '=', grant.id)
    .execute()
  if (grant.refreshed_at !== null) await endAccessTokens(tx, grant.id)
  const { application_id, user_id, id: grant_id } = grant
  const answer = await issueAccessToken(tx, { application_id, user_id, grant_id, scopes })
  const { scope, created_at, ...access } = answer
  return { ...access, refresh_token: refresh.secret, scope, created_at }
}

/** Makes an access token alone. Only the answer holds the secret. */
export async function issueAccessToken(
  tx: Tx,
  of: {
    readonly application_id: number
    readonly user_id: number | null
    readonly grant_id: number | null
    readonly scopes: readonly string[]
  },
): Promise<TokenAnswer> {
  const secret = `${OAUTH_PREFIX}${tx.random.bytes(32).toString('base64url')}`
  await tx.db
    .insertInto('oauth_access_tokens')
    .values({
      ...of,
      scopes: [...of.scopes],
      digest: digestOf(secret),
      created_at: tx.now,
      ends_at: secondsAfter(tx.now, lifetimes.accessToken),
    })
    .execute()
  return {
    access_token: secret,
    token_type: 'Bearer',
    expires_in: lifetimes.accessToken,
    scope: of.scopes.join(' '),
    created_at: epochSeconds(tx.now),
  }
}
