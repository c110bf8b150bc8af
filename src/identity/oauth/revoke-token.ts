import { digestOf } from '#platform/access/digest.ts'
import type { ApplicationRow } from '#identity/applications/entity.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { endGrant } from './grants.ts'
import { readRefreshToken } from './refresh-token.ts'
import { recordRevoked } from './revoke-application.ts'

/**
 * Ends a token that its application gives back, and the consent that it came of. Whichever of the two tokens it was,
 * the other ends as well (RFC 7009 §2.1). Unknown tokens, and those of other applications, stay.
 */
export async function revokeToken(tx: Tx, client: ApplicationRow, token: string): Promise<void> {
  const grant = await grantOf(tx, client, token)
  if (grant === undefined || !(await endGrant(tx, grant.id))) return
  await recordRevoked(tx, client, grant.user_id)
}

interface GrantOwner {
  readonly id: number
  readonly user_id: number
}

/** Finds and locks the consent of a token; a token without one is ended here. */
async function grantOf(tx: Tx, client: ApplicationRow, token: string): Promise<GrantOwner | undefined> {
  const refresh = readRefreshToken(token)
  const grants = tx.db
    .selectFrom('oauth_grants as g')
    .select(['g.id', 'g.user_id'])
    .where('g.application_id', '=', client.id)
    .forUpdate('g')
  if (refresh !== undefined) {
    return grants.where('g.family_digest', '=', refresh.familyDigest).executeTakeFirst()
  }
  const found = await tx.db
    .selectFrom('oauth_access_tokens')
    .select(['id', 'grant_id'])
    .where('digest', '=', digestOf(token))
    .where('application_id', '=', client.id)
    .where('revoked_at', 'is', null)
    .executeTakeFirst()
  if (found === undefined) return undefined
  if (found.grant_id !== null) return grants.where('g.id', '=', found.grant_id).executeTakeFirst()
  await tx.db
    .updateTable('oauth_access_tokens')
    .set({ revoked_at: tx.now })
    .where('id', '=', found.id)
    .execute()
  return undefined
}
