import { type RawBuilder, sql } from 'kysely'
import { Type } from 'typebox'
import { handOverAwards } from '#award-emoji/hand-over-awards.ts'
import type { DB } from '#db/schema.ts'
import { defineTask, type JobContext } from '#jobs/task.ts'
import { deleteNotesOf } from '#notes/delete-notes-of.ts'
import { removeSubtree } from '#namespaces/remove-subtree.ts'
import { unstarAll } from '#projects/star-project.ts'

/**
 * Every column that says who did something, of tables with an `id`: what makes a contribution, and whether a hard
 * deletion takes the row or leaves it without an author. An area with authors adds its line, and an index on the
 * column.
 */
const contributions = [
  ['facts', 'actor_id', 'stays'],
  ['facts', 'behind_id', 'stays'],
  ['projects', 'creator_id', 'stays'],
  ['members', 'created_by_id', 'stays'],
  ['users', 'created_by_id', 'stays'],
  ['notes', 'author_id', 'goes'],
  ['issues', 'author_id', 'goes'],
  ['issues', 'closed_by_id', 'stays'],
  ['timelogs', 'user_id', 'stays'],
  ['resource_events', 'user_id', 'stays'],
] as const satisfies readonly (readonly [table: keyof DB, column: string, hard: 'goes' | 'stays'])[]

/** Rows in a transaction: none is long, however much there is. */
const BATCH = 1_000

/**
 * Finishes what `deleteUser` began. Each step leaves less to do, so that a run which was cut short is simply
 * followed by another. After a hard deletion what they wrote is gone and nobody did the rest.
 */
export const removeUser = defineTask(
  'users/remove-user',
  Type.Object({ user_id: Type.Integer(), hard: Type.Boolean() }),
  async ({ user_id, hard }, job) => {
    const { db } = job
    const namespace = await db
      .selectFrom('namespaces')
      .select('id')
      .where('owner_id', '=', user_id)
      .where('deleted_at', 'is not', null)
      .executeTakeFirst()
    if (namespace !== undefined) await removeSubtree.execute({ namespace_id: namespace.id }, job)
    await job.transact((tx) => unstarAll(tx, user_id))
    const heir = hard ? null : await ghostOf(job)
    // Notes do not go by themselves: issues count them, and others replied to them.
    if (hard) {
      while ((await job.transact((tx) => deleteNotesOf(tx, user_id, BATCH))) > 0) job.signal.throwIfAborted()
    }
    while (await job.transact((tx) => handOverAwards(tx, user_id, heir))) job.signal.throwIfAborted()
    for (const [table, column, whenHard] of contributions) {
      if (hard && whenHard === 'goes') await takeAway(job, table, column, user_id)
      else await handOver(job, table, column, user_id, heir)
    }
    await db.deleteFrom('users').where('id', '=', user_id).where('deleted_at', 'is not', null).execute()
  },
)

async function ghostOf({ db }: JobContext): Promise<number> {
  const { id } = await db
    .selectFrom('users')
    .select('id')
    .where('kind', '=', 'ghost')
    .executeTakeFirstOrThrow()
  return id
}

function handOver(
  job: JobContext,
  table: string,
  column: string,
  from: number,
  to: number | null,
): Promise<void> {
  const giving = sql`update ${sql.table(table)} set ${sql.ref(column)} = ${to}::bigint`
  return inBatches(job, giving, table, column, from)
}

function takeAway(job: JobContext, table: string, column: string, from: number): Promise<void> {
  return inBatches(job, sql`delete from ${sql.table(table)}`, table, column, from)
}

/** Does something to all rows that name a user, until there are none. */
async function inBatches(
  { db, signal }: JobContext,
  act: RawBuilder<unknown>,
  table: string,
  column: string,
  from: number,
): Promise<void> {
  let changed: bigint
  do {
    // The process is about to stop; the job runs again elsewhere.
    signal.throwIfAborted()
    const { numAffectedRows = 0n } = await sql`${act}
      where id in (select id from ${sql.table(table)} where ${sql.ref(column)} = ${from} limit ${BATCH})`.execute(
      db,
    )
    changed = numAffectedRows
  } while (changed > 0n)
}
