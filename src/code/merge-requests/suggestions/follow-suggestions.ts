import { sql } from 'kysely'
import { isAnyOf } from '#platform/db/any-of.ts'
import type { Db } from '#platform/db/pool.ts'
import { recordset } from '#platform/db/recordset.ts'
import type { Tx } from '#platform/db/transaction.ts'
import type { Repository } from '#code/git/repository.ts'
import { type FollowedLines, followLines } from './follow-lines.ts'
import { MAX_FOLLOWING } from './limits.ts'

/** Where a suggestion stands after a push. */
export type FollowedSuggestion = FollowedLines & { readonly id: number }

/** Finds the lines of the suggestions of a merge request, which nobody has applied, in the new tip of its source branch. */
export async function followedSuggestions(
  db: Db,
  repository: Repository,
  mergeRequestId: number,
  tip: string,
): Promise<readonly FollowedSuggestion[]> {
  const rows = await db
    .selectFrom('suggestions')
    .select(['id', 'path', 'at_sha', 'from_line', 'to_line', 'from_content'])
    .where('merge_request_id', '=', mergeRequestId)
    .where('applied_sha', 'is', null)
    .orderBy('id', 'desc')
    .limit(MAX_FOLLOWING)
    .execute()
  if (rows.length === 0) return []
  const followed = await followLines(repository, tip, rows)
  return followed.map(({ id, at_sha, from_line, to_line, outdated }) => ({
    id,
    at_sha,
    from_line,
    to_line,
    outdated,
  }))
}

/** Writes that down. */
export async function writeFollowed(tx: Tx, all: readonly FollowedSuggestion[]): Promise<void> {
  if (all.length === 0) return
  await sql`
    update suggestions s set at_sha = f.at_sha, from_line = f.from_line, to_line = f.to_line, outdated = f.outdated
    from ${recordset('suggestions', all)} as f where s.id = f.id and s.applied_sha is null`.execute(tx.db)
}

/** Says whether merge requests have a source branch. */
export async function writeBranchGone(tx: Tx, ids: readonly number[], branch_gone: boolean): Promise<void> {
  if (ids.length === 0) return
  await tx.db
    .updateTable('suggestions')
    .set({ branch_gone })
    .where(isAnyOf('merge_request_id', ids))
    .execute()
}
