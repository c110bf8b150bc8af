import { project } from '#platform/access/route-access.ts'
import { isAnyOf } from '#platform/db/any-of.ts'
import type { Markable } from '#planning/todos/mark-route.ts'
import type { TodoTarget } from '#planning/todos/targets.ts'
import { Alert, presentAlert } from './entity.ts'
import { ALERT } from './facts.ts'
import { ByAlert } from './parameters.ts'
import { alertsFor, findAlert } from './queries.ts'
import { alertsVisibleTo } from './visible.ts'

/** To-dos about alerts. */
export const alertTodos: TodoTarget = {
  kind: 'alert',
  type: ALERT,
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
}

/** Putting an alert on one's list. */
export const markableAlert: Markable = {
  title: 'an alert',
  path: '/projects/:id/alert_management_alerts/:alert_iid',
  params: ByAlert,
  param: 'alert_iid',
  subject: project('mark_alert'),
  find: (tx, req, iid) => findAlert(tx.db, req.project().container.id, iid),
}
