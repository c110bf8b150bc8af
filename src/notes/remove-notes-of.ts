import { sql } from 'kysely'
import type { Tx } from '#db/transaction.ts'

/** Notes in a transaction: none is long, however many there are. */
const BATCH = 1_000

/**
 * Removes notes of somebody whose account goes with all they wrote. Issues count them no longer, and where one started
 * a discussion, the next note of it does from then on.
 * @returns whether there may be more.
 */
export async function removeNotesOf(tx: Tx, userId: number): Promise<boolean> {
  const { rows } = await sql<{ done: number }>`
    with gone as (
      delete from notes where id in (select id from notes where author_id = ${userId} limit ${BATCH})
      returning id, issue_id, discussion_id, starts_discussion, internal, system
    ), lost as (
      select issue_id, count(*) filter (where not internal) as open, count(*) filter (where internal) as internal
      from gone where not system group by issue_id
    ), counted as (
      update issues i set notes_count = i.notes_count - lost.open,
        internal_notes_count = i.internal_notes_count - lost.internal
      from lost where i.id = lost.issue_id
    ), started as (
      update notes set starts_discussion = true where id in (
        select distinct on (x.discussion_id) x.id from notes x
        where x.discussion_id in (select discussion_id from gone where starts_discussion)
          and x.id not in (select id from gone)
        order by x.discussion_id, x.created_at, x.id)
    )
    select count(*) as done from gone`.execute(tx.db)
  return rows[0]?.done === BATCH
}
