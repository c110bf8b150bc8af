import { project } from '#platform/access/route-access.ts'
import { isAnyOf } from '#platform/db/any-of.ts'
import { Alert, presentAlert } from './entity.ts'
import { alertsFor, findAlert } from './queries.ts'
import { alertsVisibleTo } from './visible.ts'
import { alertNoteable } from './noteable.ts'
import { defineKind } from '#planning/noteables/define-kind.ts'

/** Alerts: people write notes on them, react, and put them on their to-do lists. */
export const alertKind = defineKind({
  noteable: alertNoteable,
  todos: {
    entity: Alert,
    async read(db, viewer, ids) {
      const rows = await alertsFor(db).where(isAnyOf('a.id', ids)).where(alertsVisibleTo(viewer)).execute()
      return rows.map((row) => ({
        id: row.id,
        title: row.title,
        lacks: 0,
        present: (req) => presentAlert(row, req.site),
      }))
    },
    mark: {
      subject: project('mark_alert'),
      find: (tx, req, iid) => findAlert(tx.db, req.project().container.id, iid),
    },
  },
})
