import type { MemberLevel } from '#platform/access/roles.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { dayOf } from '#platform/http/time.ts'

export interface NewMember {
  readonly namespaceId: number
  readonly userId: number
  readonly accessLevel: MemberLevel
  readonly expiresAt?: string | null
}

/**
 * Makes a user a direct member of a group or project; it replaces an expired membership.
 * @throws 409 `Member already exists`
 */
export async function addMember(
  tx: Tx,
  { namespaceId, userId, accessLevel, expiresAt }: NewMember,
): Promise<void> {
  await tx.db
    .deleteFrom('members')
    .where('namespace_id', '=', namespaceId)
    .where('user_id', '=', userId)
    .where('expires_at', '<=', dayOf(tx.now))
    .execute()
  await tx.db
    .insertInto('members')
    .values({
      namespace_id: namespaceId,
      user_id: userId,
      access_level: accessLevel,
      expires_at: expiresAt ?? null,
      created_by_id: tx.author?.id ?? null,
      created_at: tx.now,
      updated_at: tx.now,
    })
    .execute()
  record(tx, {
    name: 'member added',
    namespace: namespaceId,
    target: { type: 'User', id: userId },
    details: { user_id: userId, access_level: accessLevel, expires_at: expiresAt ?? null },
  })
}
