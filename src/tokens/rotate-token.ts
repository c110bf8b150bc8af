import type { Tx } from '#db/transaction.ts'
import { record } from '#facts/record.ts'
import { methodNotAllowed, unauthorized } from '#http/errors.ts'
import { dayOf } from '#http/time.ts'
import { type FreshToken, insertToken } from './create-token.ts'
import { isExpired, type TokenRow } from './entity.ts'
import { expiryOfRotated, type TokenPolicy } from './expiry.ts'
import { familyOf, lockFamily, revokeFamily } from './revoke-token.ts'

/**
 * Puts a new token with a new secret in the place of one, which ends in the same moment.
 *
 * @returns undefined when the token had been revoked before: whoever still rotates it may have stolen it, so the
 * family's active token is revoked. That must be committed; only then the caller answers 401.
 * @throws 401 when it is expired, 405 when it is not a person's, 400 for an expiry that is not allowed.
 */
export async function rotateToken(
  tx: Tx,
  token: TokenRow,
  policy: TokenPolicy,
  expiresAt: string | undefined,
): Promise<FreshToken | undefined> {
  if (token.kind === 'project' || token.kind === 'group') throw methodNotAllowed()
  const { id, kind, user_id: userId, name, description, scopes } = token
  await lockFamily(tx, token)
  const { revoked_at } = await tx.db
    .selectFrom('access_tokens')
    .select('revoked_at')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  if (revoked_at !== null) {
    await revokeFamily(tx, token)
    return undefined
  }
  const today = dayOf(tx.now)
  if (isExpired(token, today)) throw unauthorized()
  const rotated = await insertToken(tx, {
    kind,
    userId,
    name,
    description,
    scopes,
    expiresAt: expiryOfRotated(policy, today, expiresAt),
    prefix: policy.personal_access_token_prefix,
    family_id: familyOf(token),
  })
  await tx.db.updateTable('access_tokens').set({ revoked_at: tx.now }).where('id', '=', id).execute()
  await record(tx, {
    name: 'token rotated',
    namespace: null,
    target: { type: 'AccessToken', id },
    details: { name, expires_at: rotated.expires_at },
  })
  return rotated
}
