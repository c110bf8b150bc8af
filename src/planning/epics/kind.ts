import { group } from '#platform/access/route-access.ts'
import { isAnyOf } from '#platform/db/any-of.ts'
import { Epic } from './entity.ts'
import { presentEpic } from './present.ts'
import { epicsFor, findEpic } from './queries.ts'
import { lacksOf } from '#planning/noteables/items/lacking.ts'
import { epicVisibleTo } from './visible.ts'
import { epicNoteable } from './noteable.ts'
import { epicNumber } from './parameters.ts'
import { defineKind } from '#planning/noteables/define-kind.ts'

/** Epics: people write notes on them and put them on their lists. */
export const epicKind = defineKind({
  noteable: epicNoteable,
  todos: {
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
    mark: {
      subject: group('subscribe_epic'),
      key: epicNumber,
      find: (tx, req, iid) => findEpic(tx.db, req.viewer, req.group(), { iid }),
    },
  },
})
