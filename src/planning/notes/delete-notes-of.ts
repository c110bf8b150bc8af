import { sql } from 'kysely'
import type { Tx } from '#platform/db/transaction.ts'

/**
 * Deletes some of the notes that somebody wrote, for a job that repeats it until there are none: issues count what is
 * left, and discussions that they started go on with their next note.
 * @returns how many went.
 */
export async function deleteNotesOf(tx: Tx, userId: number, limit: number): Promise<number> {
  // Issues first, as everybody locks them who writes notes.
  const { rows } = await sql<{ gone: number }>`
    with chosen as materialized (
      select id, noteable_id from notes where author_id = ${userId} limit ${limit}
    ), locked as (
      select i.id from issues i where i.id in (select noteable_id from chosen) order by i.id for no key update
    ), gone as (
      delete from notes where id in (select id from chosen) and (select count(*) from locked) > 0
        returning id, noteable_id, discussion_id, starts_discussion, system, internal
    ), counted as (
      update issues i set notes_count = i.notes_count - c.open,
          internal_notes_count = i.internal_notes_count - c.internal
        from (
          select noteable_id, count(*) filter (where not internal) as open, count(*) filter (where internal) as internal
            from gone where not system group by noteable_id
        ) c where i.id = c.noteable_id
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
