import { project } from '#platform/access/route-access.ts'
import { isAnyOf } from '#platform/db/any-of.ts'
import { lackedBy } from '#planning/issues/queries.ts'
import type { Markable } from '#planning/todos/mark-route.ts'
import type { TodoTarget } from '#planning/todos/targets.ts'
import { demandsApprovals } from './approvals/tier.ts'
import { findBareMergeRequest } from './bare-merge-request.ts'
import { MergeRequest } from './entity.ts'
import { ByMergeRequest } from './parameters.ts'
import { presentMergeRequest } from './present.ts'
import { mergeRequestsFor } from './queries.ts'
import { mergeRequestVisibleTo } from './visible.ts'

/** To-dos about merge requests. */
export const mergeRequestTodos: TodoTarget = {
  kind: 'merge_request',
  type: 'MergeRequest',
  entity: MergeRequest,
  async read(db, viewer, ids, longest) {
    const rows = await mergeRequestsFor(db, viewer, longest)
      .where(isAnyOf('mr.id', ids))
      .where(mergeRequestVisibleTo(viewer))
      .execute()
    return rows.map((row) => ({
      id: row.id,
      title: row.title,
      lacks: lackedBy(row),
      present: (req) =>
        presentMergeRequest(row, {
          site: req.site,
          today: req.viewer.today,
          from: 'instance',
          now: req.server.services.clock.now().getTime(),
          demandsApprovals: demandsApprovals(req.server.services),
        }),
    }))
  },
}

/** Putting a merge request on one's list. */
export const markableMergeRequest: Markable = {
  title: 'a merge request',
  path: '/projects/:id/merge_requests/:merge_request_iid',
  params: ByMergeRequest,
  param: 'merge_request_iid',
  subject: project('subscribe_merge_request'),
  find: (tx, req, iid) => findBareMergeRequest(tx.db, req.viewer, req.project(), iid),
}
