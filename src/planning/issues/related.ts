import { type RawBuilder, sql } from 'kysely'
import type { SqlViewer } from '#platform/access/viewer.ts'
import { decidingOnce } from '#platform/access/visible.ts'
import { epicVisibleTo } from '#planning/epics/visible.ts'
import { closingCounts } from './extension-points.ts'
import { issueVisibleTo } from './visible.ts'

/** Whether {@link relatedTo} could find anything, for a viewer who sees everything. */
export const isRelated = () => {
  const closed = closingCounts.entries.map(({ some }) => some)
  return sql<boolean>`(exists (select 1 from epic_issues ek where ek.issue_id = i.id)
    or exists (select 1 from issue_links k where k.source_id = i.id and k.link_type = 'blocks')
    or ${sql.join([sql`false`, ...closed], sql` or `)})`
}

/** Fields of an issue about other items, as far as the viewer may see those items. */
export const relatedTo = (viewer: SqlViewer, asked: boolean) =>
  [
    (asked ? epicOf(viewer) : sql<CarryingEpic | null>`null::json`).as('epic'),
    (asked ? blockingCount(viewer) : sql<number>`0::bigint`).as('blocking_issues_count'),
    (asked ? closingCount(viewer) : sql<number>`0::bigint`).as('merge_requests_count'),
  ] as const

/** The epic of an issue. */
export interface CarryingEpic {
  readonly id: number
  readonly iid: number
  readonly title: string
  readonly group_id: number
  readonly full_path: string
  readonly due_date: string | null
}

/** The epic of an issue, if the viewer may see it. */
const epicOf = (viewer: SqlViewer) => sql<CarryingEpic | null>`(
  select json_build_object('id', ee.id, 'iid', ee.iid, 'title', ee.title, 'group_id', ee.group_id,
      'full_path', en.full_path, 'due_date', ee.due_date)
    from epic_issues ek join epics ee on ee.id = ek.epic_id join namespaces en on en.id = ee.group_id
    where ek.issue_id = i.id and ${decidingOnce(viewer, (once) => epicVisibleTo(once, { epic: 'ee', node: 'en' }))})`

/** How many open issues this one blocks that the viewer may see. */
function blockingCount(viewer: SqlViewer): RawBuilder<number> {
  const waiting = { issue: 'wi', node: 'wn', project: 'wp' }
  return sql<number>`(select count(*) from issue_links k join issues wi on wi.id = k.target_id
    join projects wp on wp.id = wi.project_id join namespaces wn on wn.id = wp.project_namespace_id
    where k.source_id = i.id and k.link_type = 'blocks' and wi.state = 'opened'
      and ${decidingOnce(viewer, (once) => issueVisibleTo(once, waiting))})`
}

/** How many merge requests that the viewer may see close an issue. */
function closingCount(viewer: SqlViewer): RawBuilder<number> {
  const counts = closingCounts.entries.map(({ count }) => count(viewer))
  return sql<number>`(${sql.join([sql.lit(0), ...counts], sql` + `)})::bigint`
}
