import type { UserRemovalStep } from '#identity/users/extension-points.ts'
import { sql } from 'kysely'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'

type Starred = { readonly id: number; readonly namespace_id: number }

/** @returns whether anything changed: starring twice changes nothing. */
export async function starProject(tx: Tx, project: Starred, userId: number): Promise<boolean> {
  const { numInsertedOrUpdatedRows = 0n } = await tx.db
    .insertInto('project_stars')
    .values({ project_id: project.id, user_id: userId, created_at: tx.now })
    .onConflict((oc) => oc.doNothing())
    .executeTakeFirst()
  if (numInsertedOrUpdatedRows > 0n) await count(tx, project, 'project starred', 1)
  return numInsertedOrUpdatedRows > 0n
}

/** @returns whether anything changed. */
export async function unstarProject(tx: Tx, project: Starred, userId: number): Promise<boolean> {
  const { numDeletedRows } = await tx.db
    .deleteFrom('project_stars')
    .where('project_id', '=', project.id)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  if (numDeletedRows > 0n) await count(tx, project, 'project unstarred', -1)
  return numDeletedRows > 0n
}

/** Adds to the counter, so that simultaneous stars all count. */
async function count(
  tx: Tx,
  { id, namespace_id }: Starred,
  name: 'project starred' | 'project unstarred',
  by: 1 | -1,
): Promise<void> {
  await tx.db
    .updateTable('projects')
    .set({ star_count: sql<number>`star_count + ${by}` })
    .where('id', '=', id)
    .execute()
  record(tx, { name, namespace: namespace_id, target: { type: 'Project', id }, details: {} })
}

/**
 * Removes some of the stars of a user whose account is being removed. A job repeats it until there are none.
 * @returns how many.
 */
async function unstarAll(tx: Tx, userId: number, limit: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    with starred as materialized (
      select project_id from project_stars where user_id = ${userId} limit ${limit}
    ), locked as materialized (
      select id from projects where id in (select project_id from starred) order by id for no key update
    ), gone as (
      delete from project_stars s using locked where s.user_id = ${userId} and s.project_id = locked.id
      returning s.project_id
    )
    update projects p set star_count = p.star_count - 1 from gone where p.id = gone.project_id`.execute(tx.db)
  return Number(numAffectedRows)
}

/** A step of removing a user, needed because projects count their stars. */
export const removeStars: UserRemovalStep = ({ remover, userId }) =>
  remover.inBatches((tx, limit) => unstarAll(tx, userId, limit))
