import { sql } from 'kysely'
import { isOfProject, itemReader } from '#planning/noteables/list/read-items.ts'
import { type MergeRequestRow, mergeRequestsFor } from '../queries.ts'
import { mergeRequestVisibleTo } from '../visible.ts'

/** Reads the merge requests of a page. */
export const readMergeRequests = itemReader<MergeRequestRow>(
  (db, rights, { viewer, project, ids }, longest) => {
    const rows = mergeRequestsFor(db, viewer, longest).where(sql<boolean>`mr.id = any(${ids}::bigint[])`)
    return rights === 'any'
      ? rows.where(mergeRequestVisibleTo(viewer))
      : rows.where(isOfProject('mr.project_id', project))
  },
)
