import { project } from '#platform/access/route-access.ts'
import { lackedBy } from '#planning/noteables/items/lacking.ts'
import { demandsApprovals } from './approvals/tier.ts'
import { findBareMergeRequest } from './bare-merge-request.ts'
import { MergeRequest } from './entity.ts'
import { presentMergeRequest } from './present.ts'
import { readMergeRequests } from './list/read-merge-requests.ts'
import { mergeRequestItems } from './item-kind.ts'
import { mergeRequestNoteable } from './noteable.ts'
import { defineKind } from '#planning/noteables/define-kind.ts'

/** Merge requests: people write notes on them, take part in them, spend time on them and put them on their lists. */
export const mergeRequestKind = defineKind({
  noteable: mergeRequestNoteable,
  items: mergeRequestItems,
  todos: {
    entity: MergeRequest,
    async read(db, viewer, ids, longest) {
      const rows = await readMergeRequests(db, { kind: 'instance', viewer }, ids, longest)
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
    mark: {
      subject: project('subscribe_merge_request'),
      find: (tx, req, iid) => findBareMergeRequest(tx.db, req.viewer, req.project(), iid),
    },
  },
})
