import { sql } from 'kysely'
import { Type } from 'typebox'
import { flag, integer, MAX_INT4, text } from '#platform/http/schema.ts'
import { iso } from '#platform/http/time.ts'
import { archivedMoment, definePart } from '../part.ts'
import { withAuthorLine } from './written-by.ts'

/** What people wrote on issues. What the server itself noted there stays behind, and so do threads. */
export const notes = definePart({
  name: 'notes',
  most: 500_000,
  row: Type.Object({
    issue_iid: integer({ minimum: 1, maximum: MAX_INT4 }),
    body: text({ max: 1_000_000, filled: true }),
    internal: flag(),
    author: text(),
    created_at: archivedMoment(),
  }),
  async readAfter(db, { id }, last) {
    const rows = await db
      .selectFrom('notes as x')
      .innerJoin('issues as i', 'i.id', 'x.noteable_id')
      .innerJoin('users as u', 'u.id', 'x.author_id')
      .select(['x.id', 'i.iid as issue_iid', 'x.body', 'x.internal', 'u.name as author', 'x.created_at'])
      .where('i.project_id', '=', id)
      .where('x.system', '=', false)
      .$if(last !== undefined, (q) => {
        const [iid, note] = [last?.issue_iid ?? 0, last?.id ?? 0]
        return q.where('i.iid', '>=', iid).where(sql<boolean>`(i.iid, x.id) > (${iid}, ${note})`)
      })
      .orderBy('i.iid')
      .orderBy('x.id')
      .limit(50)
      .execute()
    return rows.map((row) => ({ ...row, created_at: iso(row.created_at) }))
  },
  async write(tx, { id }, rows) {
    const values = rows.map(({ author, body, ...row }) => ({
      ...row,
      body: withAuthorLine(author, row.created_at, body),
      discussion: tx.random.bytes(20).toString('hex'),
    }))
    await sql`
      with note as (
        insert into notes (noteable_id, author_id, body, discussion_id, starts_discussion, internal, created_at, updated_at)
        select i.id, ${tx.author?.id}::bigint, x.body, decode(x.discussion, 'hex'), true, x.internal, x.created_at, x.created_at
        from jsonb_to_recordset(${JSON.stringify(values)}::jsonb) as x (issue_iid integer, body text, discussion text,
          internal boolean, created_at timestamptz)
          join issues i on i.project_id = ${id} and i.iid = x.issue_iid
        order by x.created_at
        returning noteable_id, internal
      )
      update noteables n set notes_count = n.notes_count + made.open, internal_notes_count = n.internal_notes_count + made.internal
      from (select noteable_id, count(*) filter (where not internal) as open, count(*) filter (where internal) as internal
        from note group by noteable_id) as made
      where n.id = made.noteable_id`.execute(tx.db)
  },
})
