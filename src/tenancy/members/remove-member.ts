import { sql } from 'kysely'
import { assertMayGive, type AccessContext } from '#platform/access/access-context.ts'
import { inSubtree } from '#platform/db/subtree.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { assertNotLast, assertPerson, lockMember } from './lock-member.ts'
import type { MemberContainer } from './queries.ts'

export interface Removal {
  readonly userId: number
  /** Whether memberships in everything below stay. */
  readonly skipBelow: boolean
}

/**
 * Ends a direct membership and, by default, those in everything below.
 * @param accessContext that of the caller; null for the member, who may always leave.
 * @throws 404 for users who are not members, 403 for a level above the caller's, for the last owner and for bots.
 */
export async function removeMember(
  tx: Tx,
  container: MemberContainer,
  accessContext: AccessContext | null,
  { userId, skipBelow }: Removal,
): Promise<void> {
  const member = await lockMember(tx, container, userId)
  assertPerson(member)
  if (accessContext) assertMayGive(accessContext, member.access_level)
  assertNotLast(member)
  const ended = await tx.db
    .deleteFrom('members')
    .where('user_id', '=', userId)
    .where(
      skipBelow
        ? sql<boolean>`namespace_id = ${container.namespace_id}`
        : sql<boolean>`namespace_id in (select n.id from namespaces n where ${inSubtree('n', container.namespace_id)})`,
    )
    .returning('namespace_id')
    .execute()
  const below = ended.map(({ namespace_id }) => namespace_id).filter((id) => id !== container.namespace_id)
  record(tx, {
    name: 'member removed',
    namespace: container.namespace_id,
    target: { type: 'User', id: userId },
    details: { user_id: userId, below },
  })
}
