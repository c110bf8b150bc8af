import { type RawBuilder, sql } from 'kysely'
import type { Viewer } from '#platform/access/viewer.ts'
import { issueVisibleTo } from '#planning/issues/visible.ts'
import type { BuiltKind } from '#planning/noteables/built.ts'

/**
 * The one predicate for notes on something that the viewer may see, in rows and in totals: internal ones only from
 * Planner up and for their author, and records that name another issue only for those who may see that one.
 *
 * @param readsInternal whether the viewer reads the internal notes of others there (`read_internal_note`).
 * @param note the alias under which the query has `notes`.
 * @param namesOthers whether there may be such records. Where there are none, as mostly, the statement is a
 * fraction of the size; one that came meanwhile is not shown to anybody.
 */
export function noteVisibleTo(
  viewer: Viewer,
  readsInternal: boolean,
  note = 'x',
  namesOthers = true,
): RawBuilder<boolean> {
  const of = (column: string) => sql.ref(`${note}.${column}`)
  const own = viewer.id === null ? sql`` : sql` or ${of('author_id')} = ${viewer.id}`
  const open = readsInternal ? sql`` : sql`(not ${of('internal')}${own}) and `
  const other = of('about_noteable_id')
  if (!namesOthers) return sql<boolean>`(${open}${other} is null)`
  return sql<boolean>`(${open}(${other} is null or exists (
    select 1 from issues si join projects sp on sp.id = si.project_id
      join namespaces sn on sn.id = sp.project_namespace_id
      where si.id = ${other} and ${issueVisibleTo(viewer, { issue: 'si', node: 'sn', project: 'sp' })})))`
}

/**
 * Whether the viewer may see what notes are on, asked in the statement that reads them: for pages that are sent over a
 * long time, while rights go and things are deleted.
 */
export const noteableVisibleTo: Record<BuiltKind, (viewer: Viewer, id: number) => RawBuilder<boolean>> = {
  issue: (viewer, id) => sql<boolean>`exists (
    select 1 from issues hi join projects hp on hp.id = hi.project_id
      join namespaces hn on hn.id = hp.project_namespace_id
      where hi.id = ${id} and ${issueVisibleTo(viewer, { issue: 'hi', node: 'hn', project: 'hp' })})`,
}
