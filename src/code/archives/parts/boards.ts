import { sql } from 'kysely'
import { Type } from 'typebox'
import { isAnyOf } from '#platform/db/any-of.ts'
import { count, flag, list, nullable, text } from '#platform/http/schema.ts'
import { MAX_BOARDS, MAX_LABELS, MAX_LISTS } from '#planning/boards/limits.ts'
import { definePart } from '../part.ts'

/** A list is for one of the two. */
const BoardList = Type.Object({ label: nullable(text()), milestone: nullable(text()) })

/**
 * The boards of a project, with the names of their labels and milestones. Accounts mean nothing elsewhere, so lists for a person stay
 * behind, and whose issues a board shows.
 */
export const boards = definePart({
  name: 'boards',
  most: MAX_BOARDS,
  row: Type.Object({
    name: text({ filled: true }),
    hide_backlog_list: flag(),
    hide_closed_list: flag(),
    milestone: nullable(text()),
    weight: nullable(count()),
    labels: list(text(), { max: MAX_LABELS }),
    lists: list(BoardList, { max: MAX_LISTS }),
  }),
  readAfter: (db, { namespace_id }, last) =>
    db
      .selectFrom('boards as b')
      .leftJoin('milestones as m', 'm.id', 'b.milestone_id')
      .select(['b.id', 'b.name', 'b.hide_backlog_list', 'b.hide_closed_list', 'b.weight'])
      .select('m.title as milestone')
      .select([
        sql<string[]>`array(select l.name from board_labels x join labels l on l.id = x.label_id
          where x.board_id = b.id order by l.name)`.as('labels'),
        sql<{ label: string | null; milestone: string | null }[]>`(
          select coalesce(json_agg(json_build_object('label', l.name, 'milestone', s.title) order by k.position), '[]')
          from board_lists k left join labels l on l.id = k.label_id left join milestones s on s.id = k.milestone_id
          where k.board_id = b.id and k.assignee_id is null)`.as('lists'),
      ])
      .where('b.namespace_id', '=', namespace_id)
      .where('b.id', '>', last?.id ?? 0)
      .orderBy('b.id')
      .limit(50)
      .execute(),
  async write(tx, { namespace_id, traversal_ids }, rows) {
    const labelId = (name: string) =>
      sql`(select l.id from labels l where l.name = ${sql.ref(name)} and ${isAnyOf('l.namespace_id', traversal_ids)}
        order by l.id limit 1)`
    const milestoneId = (title: string) =>
      sql`(select m.id from milestones m where m.title = ${sql.ref(title)} and ${isAnyOf('m.namespace_id', traversal_ids)}
        order by m.id limit 1)`
    await sql`
      with given as (
        select x.place, x.name, x.hide_backlog_list, x.hide_closed_list, x.milestone, x.weight, x.labels, x.lists,
          nextval(pg_get_serial_sequence('boards', 'id')) as id
        from rows from (jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as (name text, hide_backlog_list boolean,
          hide_closed_list boolean, milestone text, weight integer, labels jsonb, lists jsonb)) with ordinality
          as x (name, hide_backlog_list, hide_closed_list, milestone, weight, labels, lists, place)
      ), board as (
        insert into boards (id, namespace_id, name, hide_backlog_list, hide_closed_list, milestone_id, weight, created_at, updated_at)
        select x.id, ${namespace_id}, x.name, x.hide_backlog_list, x.hide_closed_list, ${milestoneId('x.milestone')}, x.weight,
          ${tx.now}::timestamptz, ${tx.now}::timestamptz
        from given x order by x.place returning id
      ), labelled as (
        insert into board_labels (board_id, label_id)
        select distinct b.id, ${labelId('named.name')} from board b join given x on x.id = b.id
          cross join jsonb_array_elements_text(x.labels) as named (name)
        where ${labelId('named.name')} is not null
      ), listed as (
        select b.id as board_id, case when one.label is not null then ${labelId('one.label')} end as label_id,
          case when one.label is null then ${milestoneId('one.milestone')} end as milestone_id, one.place
        from board b join given x on x.id = b.id
          cross join lateral rows from (jsonb_to_recordset(x.lists) as (label text, milestone text)) with ordinality
            as one (label, milestone, place)
      ), first as (
        select distinct on (board_id, label_id, milestone_id) board_id, label_id, milestone_id, place from listed
        where num_nonnulls(label_id, milestone_id) = 1 order by board_id, label_id, milestone_id, place
      )
      insert into board_lists (board_id, label_id, milestone_id, position, created_at, updated_at)
      select board_id, label_id, milestone_id, place, ${tx.now}::timestamptz, ${tx.now}::timestamptz from first`.execute(
      tx.db,
    )
  },
})
