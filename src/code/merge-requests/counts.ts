import { type RawBuilder, sql } from 'kysely'
import type { Viewer } from '#platform/access/viewer.ts'
import { archivedIn } from '#platform/access/visible.ts'
import type { Db } from '#platform/db/pool.ts'
import { inSubtree } from '#platform/db/subtree.ts'
import { boundedCount, COUNTED } from '#platform/http/pagination.ts'
import type { AssociationCount, UserCount } from '#identity/users/extension-points.ts'
import type { LabelCount } from '#planning/labels/extension-points.ts'
import { mergeRequestVisibleTo } from './visible.ts'

/** The open merge requests that wait for the user, that they may see, and that are not in archived projects. */
const waiting =
  (table: 'merge_request_assignees' | 'merge_request_reviewers'): UserCount['column'] =>
  (db, viewer) =>
    boundedCount(
      visibleMergeRequests(db, viewer)
        .where(
          sql<boolean>`mr.id = any(array(
            select a.merge_request_id from ${sql.table(table)} a where a.user_id = ${viewer.id}))`,
        )
        .where('mr.state', '=', 'opened')
        .where(sql<boolean>`not ${archivedIn('n')}`),
    )

export const assignedMergeRequestsCount: UserCount = {
  field: 'assigned_merge_requests',
  column: waiting('merge_request_assignees'),
}

export const reviewsCount: UserCount = {
  field: 'review_requested_merge_requests',
  column: waiting('merge_request_reviewers'),
}

/** How many merge requests of an author the viewer may see. */
export const authoredMergeRequestsCount: AssociationCount = {
  field: 'merge_requests_count',
  column: (db, viewer, authorId) =>
    boundedCount(visibleMergeRequests(db, viewer).where('mr.author_id', '=', authorId)),
}

function visibleMergeRequests(db: Db, viewer: Viewer) {
  return db
    .selectFrom('merge_requests as mr')
    .innerJoin('projects as p', 'p.id', 'mr.project_id')
    .innerJoin('namespaces as n', 'n.id', 'p.project_namespace_id')
    .where(mergeRequestVisibleTo(viewer))
}

/** Of each label, as many merge requests are looked at as totals count, before anybody asks who may see them. */
const carrying = (where: RawBuilder<boolean>, visible: RawBuilder<unknown>) => sql<number>`(
  select count(*) from (
    select m.id, m.project_id from merge_request_labels c join merge_requests m on m.id = c.merge_request_id
      join projects cp on cp.id = m.project_id join namespaces cn on cn.id = cp.project_namespace_id
      where c.label_id = l.id and m.state = 'opened' and ${where} limit ${sql.lit(COUNTED)}) m ${visible})`

export const mergeRequestLabelCount: LabelCount = {
  inProject: (_, { container, can }) =>
    carrying(sql`m.project_id = ${container.id} and ${can('read_merge_request')}::boolean`, sql``),
  inGroup: (viewer, { container }) =>
    carrying(
      inSubtree('cn', container.namespace_id),
      sql`join projects xp on xp.id = m.project_id join namespaces xn on xn.id = xp.project_namespace_id
        where ${mergeRequestVisibleTo(viewer, { node: 'xn', project: 'xp' })}`,
    ),
}
