import { type RawBuilder, sql } from 'kysely'
import type { Viewer } from '#access/viewer.ts'
import { issueVisibleTo } from '#issues/visible.ts'

/**
 * The one predicate for notes on something that the viewer may see, in rows and in totals: internal ones only from
 * Planner up and for their author, and records that name another issue only for those who may see that one.
 *
 * @param readsInternal whether the viewer reads the internal notes of others there (`read_internal_note`).
 * @param note the alias under which the query has `notes`.
 */
export function noteVisibleTo(viewer: Viewer, readsInternal: boolean, note = 'x'): RawBuilder<boolean> {
  const of = (column: string) => sql.ref(`${note}.${column}`)
  const open = readsInternal
    ? sql`true`
    : sql`(not ${of('internal')}${viewer.id === null ? sql`` : sql` or ${of('author_id')} = ${viewer.id}`})`
  return sql<boolean>`(${open} and (${of('about_issue_id')} is null or exists (
    select 1 from issues si join projects sp on sp.id = si.project_id
      join namespaces sn on sn.id = sp.project_namespace_id
      where si.id = ${of('about_issue_id')}
        and ${issueVisibleTo(viewer, { issue: 'si', node: 'sn', project: 'sp' })})))`
}
