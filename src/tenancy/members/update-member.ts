import { type MemberLevel, levels } from '#platform/access/roles.ts'
import { assertMayGive, type AccessContext } from '#platform/access/access-context.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { invalid } from '#platform/refusals.ts'
import { assertFuture, problemOfLevel } from './limits.ts'
import { assertNotLast, assertPerson, lockMember } from './lock-member.ts'
import type { MemberContainer } from './queries.ts'

export interface NewTerms {
  readonly accessLevel: MemberLevel
  /** Null removes the end; undefined leaves it. */
  readonly expiresAt: string | null | undefined
}

/**
 * Changes the terms of a direct membership.
 * @param accessContext that of the caller.
 * @throws 404 for users who are not members, 403 for a level above the caller's, the last owner or a bot, 400 for a
 * level below the inherited one or a day in the past.
 */
export async function updateMember(
  tx: Tx,
  container: MemberContainer,
  accessContext: AccessContext,
  userId: number,
  { accessLevel, expiresAt }: NewTerms,
): Promise<void> {
  assertFuture(tx, expiresAt)
  const member = await lockMember(tx, container, userId)
  assertPerson(member)
  assertMayGive(accessContext, Math.max(member.access_level, accessLevel))
  const problem = problemOfLevel(accessLevel, member.inherited)
  if (problem !== undefined) throw invalid({ access_level: [problem] })
  if (accessLevel < levels.owner) assertNotLast(member)
  const before = { access_level: member.access_level, expires_at: member.expires_at }
  const expires_at = expiresAt === undefined ? member.expires_at : expiresAt
  await tx.db
    .updateTable('members')
    .set({ access_level: accessLevel, expires_at, updated_at: tx.now })
    .where('id', '=', member.id)
    .execute()
  record(tx, {
    name: 'member changed',
    namespace: container.namespace_id,
    target: { type: 'User', id: userId },
    details: { user_id: userId, access_level: accessLevel, expires_at, before },
  })
}
