import { sql } from 'kysely'
import { recordset } from '#platform/db/recordset.ts'
import { Type } from 'typebox'
import { isAnyOf } from '#platform/db/any-of.ts'
import { iso } from '#platform/http/time.ts'
import { integer, MAX_INT4, nullable, oneOf, text } from '#platform/http/schema.ts'
import { greatest } from '#platform/sequences.ts'
import { nextIid } from '#identity/namespaces/next-iid.ts'
import { checkDates } from '#planning/milestones/check-milestone.ts'
import { archivedDay, archivedMoment, definePart } from '../part.ts'

/** The milestones of a project, and those of its groups that its issues and boards have: they become its own. */
export const milestones = definePart({
  name: 'milestones',
  most: 10_000,
  row: Type.Object({
    iid: integer({ minimum: 1, maximum: MAX_INT4 - 1 }),
    title: text({ filled: true }),
    description: nullable(text({ max: 1_048_576 })),
    state: oneOf(['active', 'closed']),
    start_date: archivedDay(),
    due_date: archivedDay(),
    created_at: archivedMoment(),
  }),
  async readAfter(db, { id, namespace_id, traversal_ids }, last) {
    const rows = await db
      .selectFrom('milestones as m')
      .select(['m.id', 'm.title', 'm.description', 'm.state', 'm.start_date', 'm.due_date', 'm.created_at'])
      // Those of groups get numbers after those of the project.
      .select(
        sql<number>`case when m.namespace_id = ${namespace_id} then m.iid else (
          (select coalesce(max(o.iid), 0) from milestones o where o.namespace_id = ${namespace_id}) + (
            select count(*) from milestones g where g.id <= m.id and g.namespace_id <> ${namespace_id}
              and ${isAnyOf('g.namespace_id', traversal_ids)})) end`.as('iid'),
      )
      .where(isAnyOf('m.namespace_id', traversal_ids))
      .where(
        sql<boolean>`(m.namespace_id = ${namespace_id} or exists (
          select from issues i where i.milestone_id = m.id and i.project_id = ${id})
          or exists (select from boards b where b.milestone_id = m.id and b.namespace_id = ${namespace_id})
          or exists (select from board_lists x join boards b on b.id = x.board_id
            where x.milestone_id = m.id and b.namespace_id = ${namespace_id}))`,
      )
      .where('m.id', '>', last?.id ?? 0)
      .orderBy('m.id')
      .limit(50)
      .execute()
    return rows.map((row) => ({ ...row, created_at: iso(row.created_at) }))
  },
  async write(tx, { namespace_id, traversal_ids }, rows) {
    for (const dates of rows) checkDates(dates)
    await nextIid(
      tx,
      namespace_id,
      'milestone',
      greatest(
        0,
        rows.map(({ iid }) => iid),
      ),
    )
    const values = rows.map((row) => ({ ...row, title: row.title.trim() }))
    await sql`
      insert into milestones (namespace_id, iid, title, description, state, start_date, due_date, created_at, updated_at)
      select ${namespace_id}, x.iid, x.title, x.description, x.state, x.start_date, x.due_date, x.created_at, ${tx.now}::timestamptz
      from ${recordset('milestones', values)} as x
      where not exists (
        select from milestones m where m.title = x.title and ${isAnyOf('m.namespace_id', traversal_ids)})
      on conflict do nothing`.execute(tx.db)
  },
})
