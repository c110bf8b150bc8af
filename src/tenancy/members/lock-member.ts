import { levels } from '#platform/access/roles.ts'
import { isAnyOf } from '#platform/db/any-of.ts'
import type { UserKind } from '#platform/db/schema.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { forbidden } from '#platform/refusals.ts'
import { orNotFound } from '#platform/or-not-found.ts'
import { dayOf } from '#platform/http/time.ts'
import { type InheritedMembership, inheritedBy } from './limits.ts'
import type { MemberContainer } from './queries.ts'

export interface LockedMember {
  readonly id: number
  readonly access_level: number
  readonly expires_at: string | null
  readonly kind: UserKind
  readonly inherited: InheritedMembership | null
  /** Whether the group or project would be left without an owner, or a personal project without its user. */
  readonly lastOwner: boolean
}

/**
 * Locks a direct membership that has not ended, and those of the owners: of two owners who leave at once, the second
 * learns that it is the last.
 * @throws 404 when there is no such membership
 */
export async function lockMember(
  tx: Tx,
  { namespace_id, traversal_ids }: MemberContainer,
  userId: number,
): Promise<LockedMember> {
  const today = dayOf(tx.now)
  const rows = await tx.db
    .selectFrom('members as m')
    .innerJoin('users as u', 'u.id', 'm.user_id')
    .innerJoin('namespaces as n', (join) => join.on('n.id', '=', namespace_id))
    .leftJoin('namespaces as p', 'p.id', 'n.parent_id')
    .select(['m.id', 'm.user_id', 'm.namespace_id', 'm.access_level', 'm.expires_at', 'u.state', 'u.kind'])
    .select(['n.kind as container', 'p.owner_id'])
    .select(inheritedBy('u', { namespace_id, parent_id: null, traversal_ids }, today).as('inherited'))
    .where(isAnyOf('m.namespace_id', traversal_ids))
    .where((eb) => eb.or([eb('m.expires_at', 'is', null), eb('m.expires_at', '>', today)]))
    .where((eb) =>
      eb.or([
        eb('m.access_level', '=', levels.owner),
        eb.and([eb('m.namespace_id', '=', namespace_id), eb('m.user_id', '=', userId)]),
      ]),
    )
    .orderBy('m.id')
    .forUpdate('m')
    .execute()
  const member = orNotFound(rows.find((row) => row.user_id === userId && row.namespace_id === namespace_id))
  const others = rows.filter(
    (row) =>
      row.id !== member.id &&
      row.access_level === levels.owner &&
      row.state === 'active' &&
      row.kind === 'human',
  )
  const lastOwner =
    member.access_level === levels.owner &&
    (member.container === 'group' ? others.length === 0 : member.owner_id === userId)
  return { ...member, lastOwner }
}

/** A bot stays a member on the terms of its access token. @throws 403 */
export function assertPerson({ kind }: LockedMember): void {
  if (kind === 'bot') throw forbidden('The membership of a bot comes and goes with its access token')
}

/** @throws 403 when this owner's membership must not end or be lowered */
export function assertNotLast({ lastOwner }: LockedMember): void {
  if (lastOwner) throw forbidden()
}
