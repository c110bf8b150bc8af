import type { MemberLevel } from '#access/roles.ts'
import type { Tx } from '#db/transaction.ts'
import { record } from '#facts/record.ts'

export interface NewMember {
  readonly namespaceId: number
  readonly userId: number
  readonly accessLevel: MemberLevel
  readonly expiresAt?: string | null
}

/**
 * Makes a user a direct member of a group or project.
 * @throws 409 `Member already exists`
 */
export async function addMember(
  tx: Tx,
  { namespaceId, userId, accessLevel, expiresAt }: NewMember,
): Promise<void> {
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
  await record(tx, {
    name: 'member added',
    namespace: namespaceId,
    target: { type: 'User', id: userId },
    details: { user_id: userId, access_level: accessLevel, expires_at: expiresAt ?? null },
  })
}
