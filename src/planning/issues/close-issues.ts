import { sql } from 'kysely'
import type { Viewer } from '#platform/access/viewer.ts'
import { archivedAt, hasLevel } from '#platform/access/visible.ts'
import { levels } from '#platform/access/roles.ts'
import { isAnyOf } from '#platform/db/any-of.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import type { Closer } from './facts.ts'
import { aboutIssue } from './facts-about.ts'
import { issueVisibleTo } from './visible.ts'

/** A commit or a merge request whose text says that it closes an issue. */
export interface IssueClosing {
  readonly issueId: number
  readonly by: Closer
}

/**
 * Closes the issues that commits and merge requests close, if `viewer`, the transaction's author, may change them and their projects let
 * commits do so (`autoclose_referenced_issues`). A commit closes an issue once: if somebody reopens the issue, the commit does not close it
 * again when it lands on another branch. The number of statements does not depend on the number of issues.
 * @param closings if several commits close an issue, the first one of them does.
 * @returns what happened.
 */
export async function closeIssues(
  tx: Tx,
  viewer: Viewer,
  closings: readonly IssueClosing[],
): Promise<readonly IssueClosing[]> {
  if (closings.length === 0) return []
  const ids = [...new Set(closings.map(({ issueId }) => issueId))]
  for (const table of ['noteables', 'issues']) {
    await sql`select 1 from ${sql.table(table)} where ${isAnyOf('id', ids)} order by id for no key update`.execute(
      tx.db,
    )
  }
  const open = await closableBy(tx, viewer, ids)
  const before = await closedBefore(tx, closings)
  const chosen = new Map<number, IssueClosing & { readonly namespace_id: number }>()
  for (const closing of closings) {
    const { issueId, by } = closing
    const namespace_id = open.get(issueId)
    if (namespace_id === undefined || chosen.has(issueId) || before.has(`${by.noteable_id} ${issueId}`))
      continue
    chosen.set(issueId, { ...closing, namespace_id })
  }
  if (chosen.size === 0) return []
  await writeClosed(tx, [...chosen.keys()])
  for (const [id, { namespace_id, by }] of chosen) {
    record(tx, { ...aboutIssue({ id, namespace_id }), name: 'issue closed', details: { by } })
  }
  return [...chosen.values()]
}

/** The open ones of some issues that a commit of the viewer may close, with the namespaces of their projects. */
async function closableBy(
  tx: Tx,
  viewer: Viewer,
  ids: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  const own = sql<boolean>`(i.author_id = ${viewer.id} or exists (
    select 1 from issue_assignees a where a.issue_id = i.id and a.user_id = ${viewer.id}))`
  const rows = await tx.db
    .selectFrom('issues as i')
    .innerJoin('projects as p', 'p.id', 'i.project_id')
    .innerJoin('namespaces as n', 'n.id', 'p.project_namespace_id')
    .select(['i.id', 'n.id as namespace_id'])
    .where(isAnyOf('i.id', ids))
    .where('i.state', '=', 'opened')
    .where(issueVisibleTo(viewer))
    .where(sql<boolean>`not ${archivedAt('n')}`)
    .where(sql<boolean>`coalesce(p.settings ->> 'autoclose_referenced_issues', 'true') = 'true'`)
    .$if(!viewer.admin, (q) => q.where(sql<boolean>`(${hasLevel('n', viewer, levels.planner)} or ${own})`))
    .execute()
  return new Map(rows.map(({ id, namespace_id }) => [id, namespace_id]))
}

/** The pairs of a commit and an issue that it closed before, as the ids of the commit's noteable and of the issue. */
async function closedBefore(tx: Tx, closings: readonly IssueClosing[]): Promise<ReadonlySet<string>> {
  const rows = await tx.db
    .selectFrom('notes')
    .select(['noteable_id', 'about_noteable_id'])
    .where(
      isAnyOf(
        'noteable_id',
        closings.map(({ issueId }) => issueId),
      ),
    )
    .where(
      isAnyOf(
        'about_noteable_id',
        closings.map(({ by }) => by.noteable_id),
      ),
    )
    .where('system', '=', true)
    .where('mention', '=', false)
    .execute()
  return new Set(rows.map(({ noteable_id, about_noteable_id }) => `${about_noteable_id} ${noteable_id}`))
}

async function writeClosed(tx: Tx, ids: readonly number[]): Promise<void> {
  await tx.db
    .updateTable('issues')
    .set({ state: 'closed', closed_at: tx.now, closed_by_id: tx.author?.id ?? null })
    .where(isAnyOf('id', ids))
    .execute()
  await tx.db.updateTable('noteables').set({ updated_at: tx.now }).where(isAnyOf('id', ids)).execute()
}
