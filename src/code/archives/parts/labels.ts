import { sql } from 'kysely'
import { recordset } from '#platform/db/recordset.ts'
import { Type } from 'typebox'
import { isAnyOf } from '#platform/db/any-of.ts'
import { flag, nullable, text } from '#platform/http/schema.ts'
import { checkColor, checkName } from '#planning/labels/create-label.ts'
import { definePart } from '../part.ts'

/** The labels of a project, and those of its groups that its issues and boards have: they become its own. */
export const labels = definePart({
  name: 'labels',
  most: 10_000,
  row: Type.Object({
    name: text({ filled: true }),
    color: text({ max: 255 }),
    description: nullable(text({ max: 4096 })),
    archived: flag(),
  }),
  readAfter: (db, { id, namespace_id, traversal_ids }, last) =>
    db
      .selectFrom('labels as l')
      .select(['l.id', 'l.name', 'l.color', 'l.description', 'l.archived'])
      .where(isAnyOf('l.namespace_id', traversal_ids))
      .where(
        sql<boolean>`(l.namespace_id = ${namespace_id} or exists (
          select from issue_labels x join issues i on i.id = x.issue_id where x.label_id = l.id and i.project_id = ${id})
          or exists (select from board_lists x join boards b on b.id = x.board_id where x.label_id = l.id and b.namespace_id = ${namespace_id})
          or exists (select from board_labels x join boards b on b.id = x.board_id where x.label_id = l.id and b.namespace_id = ${namespace_id}))`,
      )
      .where('l.id', '>', last?.id ?? 0)
      .orderBy('l.id')
      .limit(200)
      .execute(),
  async write(tx, { namespace_id, traversal_ids }, rows) {
    const values = rows.map(({ name, color, ...rest }) => ({
      ...rest,
      name: checkName(name),
      color: checkColor(color),
    }))
    // A label of a group above serves as well.
    await sql`
      insert into labels (namespace_id, name, color, description, archived, created_at, updated_at)
      select ${namespace_id}, x.name, x.color, x.description, x.archived, ${tx.now}::timestamptz, ${tx.now}::timestamptz
      from ${recordset('labels', values)} as x
      where not exists (
        select from labels l where l.name = x.name and ${isAnyOf('l.namespace_id', traversal_ids)})
      on conflict (namespace_id, name) do nothing`.execute(tx.db)
  },
})
