import { sql } from 'kysely'
import type { UserRemovalStep } from '#identity/users/extension-points.ts'
import type { Tx } from '#platform/db/transaction.ts'

/**
 * Deletes some of the notes that a user wrote, for a job that repeats it until there are none. Noteables count what is
 * left, and discussions that the user started go on with their next note.
 * @returns how many were deleted.
 */
export async function deleteNotesOf(tx: Tx, userId: number, limit: number): Promise<number> {
  // Noteables are locked first, as by everything that changes notes. The condition on their number is always true; it makes
  // PostgreSQL lock them before it deletes anything.
  const { rows } = await sql<{ gone: number }>`
    with chosen as materialized (
      select id, noteable_id from notes where author_id = ${userId} limit ${limit}
    ), locked as (
      select id from noteables where id in (select noteable_id from chosen) order by id for no key update
    ), gone as (
      delete from notes where id in (select id from chosen) and (select count(*) from locked) >= 0
        returning id, noteable_id, discussion_id, starts_discussion, system, internal
    ), numbers as (
      select noteable_id, count(*) filter (where not internal) as open, count(*) filter (where internal) as internal
        from gone where not system group by noteable_id
    ), counted as (
      update noteables t set notes_count = t.notes_count - numbers.open,
          internal_notes_count = t.internal_notes_count - numbers.internal
        from numbers where t.id = numbers.noteable_id
    ), handed_on as (
      update notes x set starts_discussion = true
        from (
          select distinct on (n.discussion_id) n.id from gone g join notes n on n.discussion_id = g.discussion_id
            where g.starts_discussion and n.id not in (select id from gone)
            order by n.discussion_id, n.created_at, n.id
        ) next where x.id = next.id
    )
    select count(*) as gone from gone`.execute(tx.db)
  return rows[0]?.gone ?? 0
}

/**
 * A step of removing a user with everything they wrote. Notes need a step because issues count them, and other notes
 * reply to them.
 */
export const removeNotes: UserRemovalStep = async ({ remover, userId, heir }) => {
  if (heir === null) await remover.inBatches((tx, limit) => deleteNotesOf(tx, userId, limit))
}
