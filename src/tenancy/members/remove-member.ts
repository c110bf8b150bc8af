import { sql } from 'kysely'
import { demandMayGive, type Standing } from '#platform/access/standing.ts'
import { inSubtree } from '#platform/db/subtree.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { demandNotLast, demandPerson, lockMember } from './lock-member.ts'
import type { MemberPlace } from './queries.ts'

export interface Removal {
  readonly userId: number
  /** Whether memberships in what is below stay. */
  readonly skipBelow: boolean
}

/**
 * Ends a direct membership and, unless told otherwise, those in everything below.
 * @param standing of whoever ends it; null for the member, who may always leave.
 * @throws 404 for somebody who is no member, 403 for a level above one's own, for the last owner and for bots.
 */
export async function removeMember(
  tx: Tx,
  place: MemberPlace,
  standing: Standing | null,
  { userId, skipBelow }: Removal,
): Promise<void> {
  const member = await lockMember(tx, place, userId)
  demandPerson(member)
  if (standing) demandMayGive(standing, member.access_level)
  demandNotLast(member)
  const ended = await tx.db
    .deleteFrom('members')
    .where('user_id', '=', userId)
    .where(
      skipBelow
        ? sql<boolean>`namespace_id = ${place.namespace_id}`
        : sql<boolean>`namespace_id in (select n.id from namespaces n where ${inSubtree('n', place.namespace_id)})`,
    )
    .returning('namespace_id')
    .execute()
  const below = ended.map(({ namespace_id }) => namespace_id).filter((id) => id !== place.namespace_id)
  record(tx, {
    name: 'member removed',
    namespace: place.namespace_id,
    target: { type: 'User', id: userId },
    details: { user_id: userId, below },
  })
}
