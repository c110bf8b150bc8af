import { sql } from 'kysely'
import { Type } from 'typebox'
import { withLease } from '#platform/jobs/lease.ts'
import { RowRemover } from '#platform/jobs/remove-rows.ts'
import { defineTask, type JobContext } from '#platform/jobs/task.ts'
import { removeHidden } from '#identity/namespaces/remove-subtree.ts'
import { userRemovalSteps } from './extension-points.ts'

/**
 * Finishes what `deleteUser` began. Each step leaves less to do, so another run can follow an interrupted one. After a
 * hard deletion, what they wrote is gone, and their other actions have no author.
 */
export const removeUser = defineTask(
  'users/remove-user',
  'long',
  Type.Object({ user_id: Type.Integer(), hard: Type.Boolean() }),
  ({ user_id, hard }, job) =>
    withLease(job, `remove user ${user_id}`, async (lease) => {
      const remover = await RowRemover.open(job, lease)
      await removeOwnNamespace(job, remover, user_id)
      const heir = hard ? null : await ghostOf(job)
      for (const step of userRemovalSteps.entries) await step({ userId: user_id, heir, job, lease, remover })
      if (heir === null) await removeWritings(remover, user_id)
      else await handOver(remover, user_id, heir)
      await remover.removeAll(
        'users',
        (limit) => sql`select id from users where id = ${user_id} and deleted_at is not null limit ${limit}`,
      )
      job.log.info({ user: user_id, rows: remover.removed }, 'removed a deleted user')
    }),
)

async function removeOwnNamespace({ db }: JobContext, remover: RowRemover, userId: number): Promise<void> {
  const namespace = await db
    .selectFrom('namespaces')
    .select('id')
    .where('owner_id', '=', userId)
    .where('deleted_at', 'is not', null)
    .executeTakeFirst()
  if (namespace !== undefined) await removeHidden(remover, namespace.id)
}

async function ghostOf({ db }: JobContext): Promise<number> {
  const { id } = await db
    .selectFrom('users')
    .select('id')
    .where('kind', '=', 'ghost')
    .executeTakeFirstOrThrow()
  return id
}

/**
 * Hands contributions over. A column that refers to users and outlives them names who did something, so its row is a
 * contribution. Rows that go with the account (memberships, tokens, subscriptions) merely belong to the user.
 */
async function handOver(remover: RowRemover, from: number, to: number): Promise<void> {
  for (const key of remover.lastingReferences('users')) await remover.redirect(key, from, to)
}

/** Deletes the contributions that must have an author. The others lose theirs when the account goes. */
async function removeWritings(remover: RowRemover, userId: number): Promise<void> {
  for (const key of remover.lastingReferences('users')) {
    if (key.onDelete === 'refuse') await remover.removeReferring(key, [userId])
  }
}
