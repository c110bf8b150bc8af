import { type RawBuilder, sql } from 'kysely'
import type { TreePosition } from '#platform/access/containers.ts'
import { decidingOnce } from '#platform/access/visible.ts'
import type { Tx } from '#platform/db/transaction.ts'
import type { ClosingCount } from '#planning/issues/extension-points.ts'
import type { Writer } from '#planning/noteables/record-mentions.ts'
import { closingReferences } from '#planning/references/closing.ts'
import { parseReferences } from '#planning/references/parse-references.ts'
import { resolveNoteables } from '#planning/references/resolve-references.ts'
import { mergeRequestVisibleTo } from '../visible.ts'

/** How many issues one merge request can close. */
const MAX_CLOSED = 100

/**
 * Keeps which issues the text of a merge request says it closes, as far as the writer may see them. They are locked, because
 * the text mentions them.
 */
export async function keepClosings(
  tx: Tx,
  { viewer, site }: Writer,
  here: TreePosition,
  mergeRequestId: number,
  text: string,
): Promise<void> {
  const closing = closingReferences(text, parseReferences(text, site))
  const found = await resolveNoteables(tx.db, viewer, here, closing)
  const ids = [...new Set(found.map(({ id }) => id))].slice(0, MAX_CLOSED)
  await sql`
    with gone as (
      delete from merge_request_closings
        where merge_request_id = ${mergeRequestId} and issue_id <> all(${ids}::bigint[])
    )
    insert into merge_request_closings (merge_request_id, issue_id)
    select ${mergeRequestId}::bigint, unnest(${ids}::bigint[])
    on conflict do nothing`.execute(tx.db)
}

/** Whether the merge request with an id goes into the default branch: only then merging it closes issues. */
const goesIntoDefault = (id: RawBuilder<unknown>) => sql<boolean>`exists (
  select 1 from merge_requests cm join repositories cr on cr.project_id = cm.project_id and cr.kind = 'project'
    where cm.id = ${id} and cr.default_branch = cm.target_branch)`

/** The issues that merge requests close, by their texts and by the messages of their commits. */
const closings = sql`(
  select merge_request_id, issue_id from merge_request_closings
  union select merge_request_id, issue_id from merge_request_commit_closings)`

/** A query for the ids of the issues that a merge request closes. */
export const closedBy = (mergeRequestId: number): RawBuilder<unknown> =>
  sql`select c.issue_id as id from ${closings} c
    where c.merge_request_id = ${mergeRequestId} and ${goesIntoDefault(sql`c.merge_request_id`)}`

/** A query for the ids of the merge requests that close an issue. */
export const closing = (issueId: number): RawBuilder<unknown> =>
  sql`select c.merge_request_id as id from ${closings} c
    where c.issue_id = ${issueId} and ${goesIntoDefault(sql`c.merge_request_id`)}`

/** For queries of issues (`i`). */
export const closingCount: ClosingCount = {
  some: sql<boolean>`exists (select 1 from ${closings} c where c.issue_id = i.id)`,
  count: (viewer) => sql<number>`(
  select count(*) from ${closings} c join merge_requests xm on xm.id = c.merge_request_id
    join projects xp on xp.id = xm.project_id join namespaces xn on xn.id = xp.project_namespace_id
    where c.issue_id = i.id and ${goesIntoDefault(sql`c.merge_request_id`)}
      and ${decidingOnce(viewer, (once) => mergeRequestVisibleTo(once, { node: 'xn', project: 'xp' }))})`,
}
