import { sql } from 'kysely'
import { lockNode } from '#identity/namespaces/lock.ts'
import type { BeforeUserDeletion } from '#identity/users/extension-points.ts'
import { levels } from '#platform/access/roles.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { conflict } from '#platform/refusals.ts'
import { deleteGroup } from './delete-group.ts'

/** Deletes the groups that only this user owns. @throws 409 when there are any and the deletion is not hard. */
export const deleteSoleOwnedGroups: BeforeUserDeletion = async (tx, userId, hard) => {
  const groups = await groupsOfOnly(tx, userId)
  if (groups.length > 0 && !hard) throw conflict('User cannot be removed while is the sole-owner of a group')
  for (const id of groups) await deleteGroup(tx, await lockNode(tx, id))
}

/**
 * The groups that would be left without an owner; of nested ones only the topmost. All of the user's groups are locked
 * first, so that two owners deleted at the same time do not count on each other.
 */
async function groupsOfOnly(tx: Tx, userId: number): Promise<number[]> {
  const own = await tx.db
    .selectFrom('namespaces as g')
    .innerJoin('members as m', 'm.namespace_id', 'g.id')
    .select('g.id')
    .where('m.user_id', '=', userId)
    .where('m.access_level', '=', levels.owner)
    .where('g.kind', '=', 'group')
    .where('g.deleted_at', 'is', null)
    .orderBy('g.id')
    .forNoKeyUpdate('g')
    .execute()
  const ids = own.map(({ id }) => id)
  const { rows } = await sql<{ id: number }>`
    with solo as (
      select g.id, g.traversal_ids from namespaces g
      where g.id = any(${ids}::bigint[]) and not exists (
        select 1 from members o
          join users u on u.id = o.user_id and u.state = 'active' and u.kind = 'human'
          where o.namespace_id = any(g.traversal_ids) and o.user_id <> ${userId} and o.access_level = ${levels.owner} and (o.expires_at is null or o.expires_at > ${tx.now}::timestamptz::date)))
    select id from solo g
    where not exists (select 1 from solo a where a.id <> g.id and a.id = any(g.traversal_ids))
    order by id`.execute(tx.db)
  return rows.map((row) => row.id)
}
