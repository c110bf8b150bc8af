import { sql } from 'kysely'
import { isAnyOf } from '#platform/db/any-of.ts'
import type { Viewer } from '#platform/access/viewer.ts'
import { recordset } from '#platform/db/recordset.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { closeIssues, type IssueClosing } from '#planning/issues/close-issues.ts'
import { aboutMergeRequest } from '../facts-about.ts'
import { checkNow } from '../merge/check-mergeability.ts'
import type { AffectedMergeRequest } from './affected.ts'
import { touchAll } from './touch-all.ts'
import { lockMergeRequests } from './lock-merge-requests.ts'
import type { MergedMergeRequest } from './merged-by-push.ts'

/** What a push to target branches means for merge requests. */
export interface TargetsPushed {
  /** Those whose target branch has moved. */
  readonly rows: readonly AffectedMergeRequest[]
  readonly merged: readonly MergedMergeRequest[]
  /** The issues that those close, and whose rights decide; null where nobody's do. */
  readonly closings: { readonly viewer: Viewer; readonly all: readonly IssueClosing[] } | null
}

/** Marks merge requests as merged that are, and has all others checked again. */
export async function writeTargetsPushed(tx: Tx, { rows, merged, closings }: TargetsPushed): Promise<void> {
  if (closings !== null) await closeIssues(tx, closings.viewer, closings.all)
  const known = await lockMergeRequests(
    tx,
    merged.map(({ row }) => row.id),
  )
  const done = merged.filter(({ row }) => known.get(row.id)?.state === 'opened')
  await writeMerged(tx, done)
  const gone = new Set(merged.map(({ row }) => row.id))
  await uncheck(
    tx,
    rows.filter(({ id }) => !gone.has(id)),
  )
}

async function writeMerged(tx: Tx, merged: readonly MergedMergeRequest[]): Promise<void> {
  if (merged.length === 0) return
  const values = merged.map(({ row, ...commits }) => ({ id: row.id, ...commits }))
  await sql`
    update merge_requests mr set state = 'merged', merged_at = ${tx.now}, merge_user_id = ${tx.author?.id ?? null},
      head_sha = v.head_sha, merge_commit_sha = v.merge_commit_sha, squash_commit_sha = v.squash_commit_sha,
      merge_status = 'can_be_merged', merge_obstacle = null, merge_error = null, auto_merge = null, rebasing_since = null
    from ${recordset('merge_requests', values)} as v
    where mr.id = v.id`.execute(tx.db)
  const ids = merged.map(({ row }) => row.id)
  await touchAll(tx, ids)
  for (const { row, merge_commit_sha, squash_commit_sha, head_sha } of merged) {
    const commit = merge_commit_sha ?? squash_commit_sha ?? head_sha
    record(tx, { ...aboutMergeRequest(row), name: 'merge request merged', details: { commit } })
  }
}

/** What was known of these is out of date. Those that wait for an automatic merge are checked at once, others when somebody asks. */
async function uncheck(tx: Tx, rows: readonly AffectedMergeRequest[]): Promise<void> {
  if (rows.length === 0) return
  const ids = rows.map(({ id }) => id)
  await sql`select 1 from merge_requests where ${isAnyOf('id', ids)} order by id for no key update`.execute(
    tx.db,
  )
  const { rows: unchecked } = await sql<{ id: number; waits: boolean }>`
    update merge_requests
      set merge_status = case when auto_merge is null then 'unchecked' else 'checking' end::merge_status
      where ${isAnyOf('id', ids)} and state = 'opened' and merge_status in ('can_be_merged', 'cannot_be_merged')
      returning id, auto_merge is not null as waits`.execute(tx.db)
  await checkNow(
    tx,
    unchecked.filter(({ waits }) => waits),
  )
}
