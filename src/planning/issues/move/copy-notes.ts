import { sql } from 'kysely'
import type { ProjectContainer } from '#platform/access/authorize.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { readersAt } from './at-target.ts'

/**
 * Copies all notes of an issue to its copy: comments and system notes, with their threads, their emoji, and the
 * mentions of users who may read the copy. One statement, whatever their number.
 */
export async function copyNotes(
  tx: Tx,
  issueId: number,
  copyId: number,
  there: ProjectContainer,
): Promise<void> {
  const people = sql`select user_id from user_mentions where noteable_id = ${issueId} and note_id is not null`
  // The copy's discussions get new ids, as unpredictable as those of the original.
  const salt = tx.random.bytes(20)
  await sql`
    with copied as materialized (
      select one.id, nextval(pg_get_serial_sequence('notes', 'id')) as copy_id
      from (select id from notes where noteable_id = ${issueId} order by id) one
    ), written as (
      insert into notes (id, noteable_id, author_id, body, type, discussion_id, starts_discussion, system, internal,
        about_noteable_id, mention, created_at, updated_at)
      select copied.copy_id, ${copyId}::bigint, x.author_id, x.body, x.type,
        substring(sha256(x.discussion_id || ${salt}::bytea) for 20), x.starts_discussion, x.system, x.internal,
        x.about_noteable_id, x.mention, x.created_at, x.updated_at
      from copied join notes x on x.id = copied.id
    ), named as (
      insert into user_mentions (noteable_id, note_id, user_id)
      select ${copyId}::bigint, copied.copy_id, m.user_id
      from user_mentions m join copied on copied.id = m.note_id
      where m.noteable_id = ${issueId} and m.user_id = any(${readersAt(tx, there, people)})
    )
    insert into award_emoji (note_id, name, user_id, created_at, updated_at)
    select copied.copy_id, a.name, a.user_id, a.created_at, a.updated_at
    from award_emoji a join copied on copied.id = a.note_id`.execute(tx.db)
}
