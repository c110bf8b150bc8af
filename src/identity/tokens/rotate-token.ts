import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { unauthorized } from '#platform/refusals.ts'
import { dayOf } from '#platform/http/time.ts'
import { lockParent } from '#identity/namespaces/lock.ts'
import { keepBot } from './bots.ts'
import { type FreshToken, insertToken, detailsOf } from './create-token.ts'
import { isExpired, type TokenRow } from './entity.ts'
import { expiryOfRotated, type TokenPolicy } from './expiry.ts'
import { familyOf, lockFamily, refuseReuse } from './revoke-token.ts'

/**
 * Replaces a token of any kind by one with a new secret; the old one ends at once.
 *
 * @returns undefined when the token had been revoked before: the caller may have stolen it, so the family's active
 * token is revoked. The caller must commit that and only then answer 401.
 * @throws 401 when it is expired, 400 for an expiry that is not allowed, 404 when its project or group is gone.
 */
export async function rotateToken(
  tx: Tx,
  token: TokenRow,
  policy: TokenPolicy,
  expiresAt: string | undefined,
): Promise<FreshToken | undefined> {
  const { id, namespace_id: namespace } = token
  // Deleting a project or group ends its tokens; the lock keeps new ones from appearing meanwhile.
  if (namespace !== null) await lockParent(tx, namespace)
  await lockFamily(tx, token)
  const { revoked_at } = await tx.db
    .selectFrom('access_tokens')
    .select('revoked_at')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  if (revoked_at !== null) {
    await refuseReuse(tx, token)
    return undefined
  }
  const today = dayOf(tx.now)
  if (isExpired(token, today)) throw unauthorized()
  const rotated = await insertToken(tx, {
    ...successorOf(token),
    expiresAt: expiryOfRotated(policy, today, expiresAt),
    prefix: policy.personal_access_token_prefix,
  })
  await tx.db.updateTable('access_tokens').set({ revoked_at: tx.now }).where('id', '=', id).execute()
  await keepBot(tx, token, rotated.expires_at)
  record(tx, {
    name: 'token rotated',
    namespace,
    target: { type: 'AccessToken', id },
    details: { ...detailsOf(token), expires_at: rotated.expires_at },
  })
  return rotated
}

/** The attributes that a rotation keeps. */
function successorOf(token: TokenRow) {
  const { kind, user_id: userId, namespace_id, access_level, name, description, scopes } = token
  const container =
    namespace_id === null || access_level === null
      ? undefined
      : { namespaceId: namespace_id, accessLevel: access_level }
  return {
    kind,
    userId,
    name,
    description,
    scopes,
    family_id: familyOf(token),
    ...(container && { container }),
  }
}
