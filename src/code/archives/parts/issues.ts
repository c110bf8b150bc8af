import { sql } from 'kysely'
import { Type } from 'typebox'
import { isAnyOf } from '#platform/db/any-of.ts'
import { count, flag, integer, list, MAX_INT4, nullable, oneOf, text } from '#platform/http/schema.ts'
import { iso } from '#platform/http/time.ts'
import { greatest } from '#platform/sequences.ts'
import { nextIid } from '#identity/namespaces/next-iid.ts'
import { checkTitle } from '#planning/noteables/items/check-title.ts'
import { insertNoteables } from '#planning/noteables/insert-noteables.ts'
import { archivedDay, archivedMoment, definePart } from '../part.ts'
import { withAuthorLine } from './written-by.ts'

/** The issues of a project, with the names of their labels and milestones. They keep their numbers. */
export const issues = definePart({
  name: 'issues',
  most: 100_000,
  row: Type.Object({
    iid: integer({ minimum: 1, maximum: MAX_INT4 - 1 }),
    title: text({ filled: true }),
    description: nullable(text({ max: 1_048_576 })),
    state: oneOf(['opened', 'closed']),
    issue_type: oneOf(['issue', 'incident', 'test_case', 'requirement', 'task', 'ticket']),
    confidential: flag(),
    discussion_locked: nullable(flag()),
    due_date: archivedDay(),
    weight: nullable(count()),
    milestone: nullable(text()),
    labels: list(text(), { max: 1_000 }),
    /** Whoever opened it, by their name. */
    author: text(),
    created_at: archivedMoment(),
    closed_at: Type.Union([Type.Null(), archivedMoment()]),
  }),
  async readAfter(db, { id }, last) {
    const rows = await db
      .selectFrom('issues as i')
      .innerJoin('users as u', 'u.id', 'i.author_id')
      .leftJoin('milestones as m', 'm.id', 'i.milestone_id')
      .select(['i.id', 'i.iid', 'i.title', 'i.description', 'i.state', 'i.issue_type', 'i.confidential'])
      .select(['i.discussion_locked', 'i.due_date', 'i.weight', 'i.created_at', 'i.closed_at'])
      .select(['m.title as milestone', 'u.name as author'])
      .select(
        sql<string[]>`array(select l.name from issue_labels x join labels l on l.id = x.label_id
          where x.issue_id = i.id order by l.name)`.as('labels'),
      )
      .where('i.project_id', '=', id)
      .where('i.id', '>', last?.id ?? 0)
      .orderBy('i.id')
      .limit(50)
      .execute()
    return rows.map((row) => ({
      ...row,
      created_at: iso(row.created_at),
      closed_at: row.closed_at === null ? null : iso(row.closed_at),
    }))
  },
  async write(tx, project, rows) {
    const { id, namespace_id, traversal_ids } = project
    await nextIid(
      tx,
      namespace_id,
      'issue',
      greatest(
        0,
        rows.map(({ iid }) => iid),
      ),
    )
    const values = rows.map(({ author, ...row }) => ({
      ...row,
      title: checkTitle(row.title),
      description: withAuthorLine(author, row.created_at, row.description ?? ''),
    }))
    await sql`
      with given as (
        select x.iid, x.title, x.description, x.state, x.issue_type, x.confidential, x.discussion_locked, x.due_date,
          x.weight, x.milestone, x.labels, x.created_at, x.closed_at
        from jsonb_to_recordset(${JSON.stringify(values)}::jsonb) as x (iid integer, title text,
          description text, state issue_state, issue_type issue_type, confidential boolean, discussion_locked boolean,
          due_date date, weight integer, milestone text, labels jsonb, created_at timestamptz, closed_at timestamptz)
      ), issue as (
        insert into issues (project_id, iid, title, description, state, issue_type, confidential, discussion_locked,
          due_date, weight, author_id, milestone_id, created_at, closed_at)
        select ${id}, x.iid, x.title, x.description, x.state, x.issue_type, x.confidential, x.discussion_locked,
          x.due_date, x.weight, ${tx.author?.id}::bigint,
          (select m.id from milestones m where m.title = x.milestone and ${isAnyOf('m.namespace_id', traversal_ids)} limit 1),
          x.created_at, x.closed_at
        from given x order by x.iid returning id, iid
      ), noteable as ${insertNoteables('issue', { kind: 'issue', namespaceId: namespace_id, updatedAt: tx.now })}
      insert into issue_labels (issue_id, label_id)
      select distinct i.id, l.id from issue i join given x on x.iid = i.iid
        cross join jsonb_array_elements_text(x.labels) as named (name)
        join labels l on l.name = named.name and ${isAnyOf('l.namespace_id', traversal_ids)}`.execute(tx.db)
  },
})
