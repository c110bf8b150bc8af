import type { Tx } from '#platform/db/transaction.ts'
import { record, writeFacts } from '#platform/facts/record.ts'
import { forbidden } from '#platform/refusals.ts'
import { enqueue } from '#platform/jobs/enqueue.ts'
import { lockNode } from '#identity/namespaces/lock.ts'
import { hideSubtree } from '#identity/namespaces/tree.ts'
import { assertOtherAdministrator } from './account-rules.ts'
import { beforeUserDeletions } from './extension-points.ts'
import type { UserRow } from './queries.ts'
import { removeUser } from './remove-user.ts'

/**
 * Deletes an account. From now on its tokens do not work, nobody sees it or its personal projects, and its username and
 * e-mail address are free. A job hands the user's contributions to the ghost user and removes the rows.
 *
 * @param user locked by `lockUser`.
 * @param hard deletes contributions as well, and the groups that have no other owner.
 * @throws 403 for bots, internal users and the last administrator; 409 when the user is the only owner of a group and
 * `hard` is false.
 */
export async function deleteUser(tx: Tx, user: UserRow, hard: boolean): Promise<void> {
  if (user.kind === 'ghost') throw forbidden('Internal users cannot be deleted')
  if (user.kind === 'bot') throw forbidden('The user of an access token is deleted with the token')
  if (user.state === 'active') await assertOtherAdministrator(tx, user, 'deleted')
  for (const prepare of beforeUserDeletions.entries) await prepare(tx, user.id, hard)
  if (user.namespace_id !== null) await hideSubtree(tx, await lockNode(tx, user.namespace_id))
  await enqueue(tx, removeUser, { user_id: user.id, hard })
  record(tx, {
    name: 'user deleted',
    namespace: null,
    target: { type: 'User', id: user.id },
    details: { username: user.username, contributions_deleted: hard },
  })
  // Audit events name the account, whose owner may be the one who deletes it.
  await writeFacts(tx)
  await hideAccount(tx, user.id)
}

/**
 * Removes everything that identifies the person, and every credential. No user can have a name that begins with `-/`.
 */
async function hideAccount(tx: Tx, id: number): Promise<void> {
  await tx.db
    .updateTable('users')
    .set({
      username: `-/deleted/${id}`,
      email: `-/deleted/${id}`,
      name: 'Ghost User',
      admin: false,
      password_digest: null,
      unconfirmed_email: null,
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
  await tx.db.deleteFrom('emails').where('user_id', '=', id).execute()
  await tx.db.deleteFrom('account_links').where('user_id', '=', id).execute()
  await tx.db.deleteFrom('ssh_keys').where('user_id', '=', id).execute()
  await tx.db.deleteFrom('members').where('user_id', '=', id).execute()
}
