import { type RawBuilder, sql } from 'kysely'
import { levels } from '#platform/access/roles.ts'
import type { SqlViewer } from '#platform/access/viewer.ts'
import { hasLevel } from '#platform/access/visible.ts'

/**
 * How many comments the viewer may see: all from Planner up; for others, internal ones count only if they wrote them.
 * The statement has `noteables` as `nt` and `namespaces` as `n`. Rights are only asked where there are internal ones.
 */
export function visibleNotesCount(viewer: SqlViewer): RawBuilder<number> {
  if (viewer.admin) return sql<number>`nt.notes_count + nt.internal_notes_count`
  if (viewer.id === null) return sql<number>`nt.notes_count`
  return sql<number>`nt.notes_count + case when nt.internal_notes_count = 0 then 0
    when ${hasLevel('n', viewer, levels.planner)} then nt.internal_notes_count
    else (select count(*) from notes own where own.noteable_id = nt.id and own.internal and own.author_id = ${viewer.id}
      and not own.system) end`
}
