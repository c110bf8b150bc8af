import { sql } from 'kysely'
import type { Viewer } from '#platform/access/viewer.ts'
import { epicVisibleTo } from '#planning/epics/visible.ts'
import { has } from '#planning/noteables/list/conditions.ts'
import type { ItemFilter } from '#planning/noteables/list/item-filter.ts'

/** By an epic that the viewer may see. */
export function byEpic(epic: number | 'None' | 'Any', viewer: Viewer): ItemFilter {
  const rows = sql`select 1 from epic_issues ek join epics ee on ee.id = ek.epic_id
    join namespaces en on en.id = ee.group_id
    where ek.issue_id = i.id and ${epicVisibleTo(viewer, { epic: 'ee', node: 'en' })}`
  if (typeof epic !== 'number')
    return { test: has(epic === 'None' ? 'none' : 'any', rows), selectivity: 'many' }
  return {
    test: has('any', sql`${rows} and ee.id = ${epic}`),
    selectivity: 'few',
    source: { ids: sql`select k.issue_id as id from epic_issues k where k.epic_id = ${epic}`, exact: false },
  }
}
