import { group } from '#platform/access/route-access.ts'
import { isAnyOf } from '#platform/db/any-of.ts'
import type { TodoTarget } from '#planning/todos/targets.ts'
import type { Markable } from '#planning/todos/mark-route.ts'
import { Epic } from './entity.ts'
import { ByEpic } from './parameters.ts'
import { presentEpic } from './present.ts'
import { epicsFor, findEpic, lacksOf } from './queries.ts'
import { epicTier } from './tier.ts'
import { epicVisibleTo } from './visible.ts'

/** To-dos about epics. */
export const epicTodos: TodoTarget = {
  kind: 'epic',
  type: 'Epic',
  entity: Epic,
  async read(db, viewer, ids, longest) {
    const rows = await epicsFor(db, viewer, longest)
      .where(isAnyOf('e.id', ids))
      .where(epicVisibleTo(viewer))
      .execute()
    const lacks = lacksOf()
    return rows.map((row) => ({
      id: row.id,
      title: row.title,
      lacks: lacks(row),
      present: ({ site }) => presentEpic(row, { site }),
    }))
  },
}

/** Putting an epic on one's list. */
export const markableEpic: Markable = {
  title: 'an epic',
  path: '/groups/:id/epics/:epic_iid',
  params: ByEpic,
  param: 'epic_iid',
  subject: group('subscribe_epic'),
  tier: epicTier,
  deprecated: true,
  find: (tx, req, iid) => findEpic(tx.db, req.viewer, req.group(), { iid }),
}
