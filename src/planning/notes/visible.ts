import { type RawBuilder, sql } from 'kysely'
import type { SqlViewer } from '#platform/access/viewer.ts'
import { decidingOnce } from '#platform/access/visible.ts'
import { noteableKinds } from '#planning/noteables/kinds.ts'

/**
 * The one predicate for notes on something that the viewer may see, in rows and in totals. Internal notes are for their
 * author and from Planner up. System notes that name another noteable are for viewers who may see that one.
 *
 * @param readsInternal whether the viewer reads other people's internal notes there (`read_internal_note`).
 * @param note the alias under which the query has `notes`.
 * @param namesOthers whether there may be such system notes. Usually there are none; then the statement is a fraction
 * of the size, and one that was written meanwhile is hidden from everybody.
 */
export function noteVisibleTo(
  viewer: SqlViewer,
  readsInternal: boolean,
  note = 'x',
  namesOthers = true,
): RawBuilder<boolean> {
  const of = (column: string) => sql.ref<number>(`${note}.${column}`)
  const own = viewer.id === null ? sql`` : sql` or ${of('author_id')} = ${viewer.id}`
  const open = readsInternal ? sql`` : sql`(not ${of('internal')}${own}) and `
  const other = of('about_noteable_id')
  if (!namesOthers) return sql<boolean>`(${open}${other} is null)`
  return sql<boolean>`(${open}(${other} is null or ${noteableVisibleTo(viewer, other)}))`
}

/** Whether the viewer may see a noteable of any kind: ids are unique across kinds. */
export function noteableVisibleTo(viewer: SqlViewer, id: RawBuilder<number>): RawBuilder<boolean> {
  return decidingOnce(viewer, (once) => {
    const seen = noteableKinds().map((kind) => kind.visibleTo(once, id))
    return sql<boolean>`(${sql.join(seen, sql` or `)})`
  })
}
