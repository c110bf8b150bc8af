import type { FastifyRequest } from 'fastify'
import type { Commit } from '#code/git/commit.ts'
import { type Diff, diff, type DiffLimits } from '#code/git/diff.ts'
import { logIds } from '#code/git/history.ts'
import { readCommits } from '#code/git/objects.ts'
import { requestedRepository } from '#code/repositories/requested.ts'
import type { StoredRepository } from '#code/repositories/rows.ts'
import { unavailable } from '#platform/refusals.ts'
import type { PageRange, RangeOfRows } from '#platform/http/pagination.ts'

/** The commits that a merge request, or one of its versions, compares. */
export interface ComparedCommits {
  readonly head_sha: string
  /** Null for unrelated histories. */
  readonly base_sha: string | null
  readonly start_sha: string
}

/** The commit with which the diff compares: where the branches parted, else the tip of the target branch. */
export const comparedWith = ({ base_sha, start_sha }: ComparedCommits): string => base_sha ?? start_sha

/** The most commits that are listed of one merge request. */
export const MOST_COMMITS = 10_000

/** The repository of the project that has the merge request. @throws 503 when it is not there */
export async function comparedIn(req: Pick<FastifyRequest, 'project' | 'server'>): Promise<StoredRepository> {
  const repository = await requestedRepository(req)
  if (repository === undefined) throw unavailable('the project has no repository')
  return repository
}

/** A page of the commits that the merge request brings, the newest first. One process finds and counts them. */
export async function commitsOf(
  repository: StoredRepository,
  { head_sha, base_sha }: ComparedCommits,
  { skip, limit }: PageRange,
): Promise<RangeOfRows<Commit>> {
  const filter = { from: [head_sha], not: base_sha === null ? [] : [base_sha] }
  const ids = await logIds(repository, filter, { skip: 0, limit: MOST_COMMITS + 1 })
  const total = ids.length
  return { rows: await readCommits(repository, ids.slice(skip, Math.min(skip + limit, MOST_COMMITS))), total }
}

/** What the merge request changes. */
export function diffOf(
  repository: StoredRepository,
  compared: ComparedCommits,
  limits?: DiffLimits,
): Promise<Diff> {
  return diff(repository, comparedWith(compared), compared.head_sha, limits && { limits })
}
