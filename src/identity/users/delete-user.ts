import { sql } from 'kysely'
import { levels } from '#platform/access/roles.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { record, writeFacts } from '#platform/facts/record.ts'
import { deleteGroup } from '#tenancy/groups/delete-group.ts'
import { conflict, forbidden } from '#platform/http/errors.ts'
import { enqueue } from '#platform/jobs/enqueue.ts'
import { lockNode } from '#identity/namespaces/lock.ts'
import { hideSubtree } from '#identity/namespaces/tree.ts'
import { demandOtherAdministrator } from './account-rules.ts'
import type { UserRow } from './queries.ts'
import { removeUser } from './remove-user.ts'

/**
 * Deletes an account: from this moment on its tokens do not work, nobody sees it or its personal projects, and its
 * username and e-mail address are free. A job hands what the user did to the ghost user and removes the rows.
 *
 * @param user locked by `lockUser`.
 * @param hard deletes contributions as well, and the groups that nobody else owns.
 * @throws 403 for bots, internal users and the last administrator; 409 when the user is the only owner of a group
 * and `hard` is false.
 */
export async function deleteUser(tx: Tx, user: UserRow, hard: boolean): Promise<void> {
  if (user.kind === 'ghost') throw forbidden('Internal users cannot be deleted')
  if (user.kind === 'bot') throw forbidden('The user of an access token is deleted with the token')
  if (user.state === 'active') await demandOtherAdministrator(tx, user, 'deleted')
  const groups = await groupsOfOnly(tx, user.id)
  if (groups.length > 0 && !hard) throw conflict('User cannot be removed while is the sole-owner of a group')
  for (const id of groups) await deleteGroup(tx, await lockNode(tx, id))
  if (user.namespace_id !== null) await hideSubtree(tx, await lockNode(tx, user.namespace_id))
  await enqueue(tx, removeUser, { user_id: user.id, hard })
  record(tx, {
    name: 'user deleted',
    namespace: null,
    target: { type: 'User', id: user.id },
    details: { username: user.username, contributions_deleted: hard },
  })
  // Audit events name the account, and its owner may be who deletes it.
  await writeFacts(tx)
  await hideAccount(tx, user.id)
}

/** Takes away what identifies a person, and every way in. A name beginning with `-/` is nobody's. */
async function hideAccount(tx: Tx, id: number): Promise<void> {
  await tx.db
    .updateTable('users')
    .set({
      username: `-/deleted/${id}`,
      email: `-/deleted/${id}`,
      name: 'Ghost User',
      admin: false,
      password_digest: null,
      public_email: null,
      commit_email: null,
      note: null,
      avatar: null,
      profile: '{}',
      status: '{}',
      updated_at: tx.now,
      deleted_at: tx.now,
    })
    .where('id', '=', id)
    .execute()
  await tx.db.deleteFrom('access_tokens').where('user_id', '=', id).execute()
  await tx.db.deleteFrom('members').where('user_id', '=', id).execute()
}

/**
 * The groups that would be left without an owner, the topmost of a tree only. All groups of the user are locked
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
