import { sql } from 'kysely'
import { Type } from 'typebox'
import { recordset } from '#platform/db/recordset.ts'
import type { Author, Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { enqueue } from '#platform/jobs/enqueue.ts'
import { defineTask, type JobContext } from '#platform/jobs/task.ts'
import { keepCommit } from '#code/repositories/keep-commit.ts'
import { type Repositories } from '#code/repositories/repositories.ts'
import { type Comparison, compareCommits, fetchCommit, tipOf } from '../branches.ts'
import { aboutMergeRequest } from '../facts-about.ts'
import { closedByPushed, keepCommitClosings, type Pusher } from '../issues/commit-closings.ts'
import { checkNow } from '../merge/check-mergeability.ts'
import {
  type FollowedSuggestion,
  followedSuggestions,
  writeFollowed,
} from '../suggestions/follow-suggestions.ts'
import { type AffectedMergeRequest, affectedOnes } from './affected.ts'
import { touchAll } from './touch-all.ts'
import { lockMergeRequests } from './lock-merge-requests.ts'
import { type PushedCommits, pushedCommits } from './pushed-commits.ts'

/** A merge request whose source branch has another tip than it knows. */
export interface RefreshedMergeRequest {
  readonly row: AffectedMergeRequest
  readonly comparison: Comparison
  readonly commits: PushedCommits
  /** The issues that the commits close now. */
  readonly closes: readonly number[]
  /** Where suggestions stand now. */
  readonly suggestions: readonly FollowedSuggestion[]
}

/** Follows source branches in other projects, whose commits have to be fetched first, and those that a push left for later. */
export const refreshSources = defineTask(
  'merge-requests/refresh-sources',
  'short',
  Type.Object({
    merge_request_ids: Type.Array(Type.Integer()),
    /** Who has pushed. */
    author_id: Type.Union([Type.Integer(), Type.Null()]),
    site: Type.Optional(Type.String()),
  }),
  async ({ merge_request_ids, author_id, site = '' }, job) => {
    const repositories = job.repositories
    const author = await authorOf(job, author_id)
    const pusher = { author: author ?? null, ip: null, site }
    for (const row of await affectedOnes(job.db, merge_request_ids)) {
      const refreshed = await readSource(repositories, row, pusher)
      if (refreshed !== undefined) await job.transact((tx) => writeRefreshed(tx, [refreshed]), author)
    }
  },
)

/** Enqueues that job, in the transaction that records a push. */
export async function refreshLater(
  tx: Tx,
  rows: readonly Pick<AffectedMergeRequest, 'id'>[],
  site: string,
): Promise<void> {
  if (rows.length === 0) return
  const merge_request_ids = rows.map(({ id }) => id)
  await enqueue(tx, refreshSources, { merge_request_ids, author_id: tx.author?.id ?? null, site })
}

export async function authorOf(job: JobContext, id: number | null): Promise<Author | undefined> {
  if (id === null) return undefined
  return job.db.selectFrom('users').select(['id', 'username']).where('id', '=', id).executeTakeFirst()
}

/**
 * Reads the source branch of a merge request, outside of transactions, and brings its commits into the repository of the target.
 * @returns undefined when it is gone or has not moved
 */
export async function readSource(
  repositories: Repositories,
  row: AffectedMergeRequest,
  pusher: Pusher,
): Promise<RefreshedMergeRequest | undefined> {
  const { project_id, source_project_id, head_sha } = row
  if (source_project_id === null) return undefined
  const into = await repositories.ofProject(project_id)
  const from = source_project_id === project_id ? into : await repositories.ofProject(source_project_id)
  const after = await tipOf(from, row.source_branch)
  if (into === undefined || from === undefined || after === undefined || after === head_sha) return undefined
  if (from.id !== into.id) await fetchCommit(from, into, after)
  await keepCommit(repositories, into, after)
  const tip = await tipOf(into, row.target_branch)
  const { base_sha, start_sha, changed_files } = row
  const comparison =
    tip === undefined
      ? { head_sha: after, base_sha, start_sha, changed_files }
      : await compareCommits(into, after, tip)
  const target = { branch: row.target_branch, tip }
  const commits = await pushedCommits(into, { before: head_sha, after }, target)
  const closes = await closedByPushed(repositories, into, project_id, comparison, pusher)
  const suggestions = await followedSuggestions(repositories.source.db, into, row.id, after)
  return { row, comparison, commits, closes, suggestions }
}

/** Gives merge requests the new states of their source branches, each once, whoever else does the same. */
export async function writeRefreshed(tx: Tx, all: readonly RefreshedMergeRequest[]): Promise<void> {
  const known = await lockMergeRequests(
    tx,
    all.map(({ row }) => row.id),
  )
  const moved = all.filter(({ row, comparison: { head_sha } }) => {
    const now = known.get(row.id)
    return now?.state === 'opened' && now.head_sha !== head_sha && now.head_sha === row.head_sha
  })
  if (moved.length === 0) return
  const ids = moved.map(({ row }) => row.id)
  const states = moved.map(({ row, comparison }) => ({
    merge_request_id: row.id,
    ...comparison,
    created_at: tx.now,
  }))
  await tx.db.insertInto('merge_request_versions').values(states).execute()
  await sql`
    update merge_requests mr set head_sha = v.head_sha, base_sha = v.base_sha, start_sha = v.start_sha,
      changed_files = v.changed_files, merge_status = 'checking', merge_error = null, auto_merge = null
    from ${recordset('merge_request_versions', states)} as v
    where mr.id = v.merge_request_id`.execute(tx.db)
  await keepCommitClosings(
    tx,
    moved.map(({ row, closes }) => ({ merge_request_id: row.id, issue_ids: closes })),
  )
  await writeFollowed(
    tx,
    moved.flatMap(({ suggestions }) => suggestions),
  )
  await touchAll(tx, ids)
  await checkNow(
    tx,
    ids.flatMap((id) => (known.get(id)?.merge_status === 'checking' ? [] : [{ id }])),
  )
  for (const { row, commits } of moved) {
    const about = aboutMergeRequest(row)
    record(tx, { ...about, name: 'merge request commits pushed', details: commits })
    const details = { state: 'aborted', sha: null } as const
    if (known.get(row.id)?.waits === true)
      record(tx, { ...about, name: 'merge request auto-merge changed', details })
  }
}
