import type { FastifyRequest } from 'fastify'
import type { Commit } from '#code/git/commit.ts'
import { statsOfCommits } from '#code/git/diff.ts'
import { readTrailers } from '#code/git/trailers.ts'
import type { StoredRepository } from '#code/repositories/rows.ts'
import { type CommitMore, presentCommit } from './entity.ts'
import { onlyOne } from '#platform/sequences.ts'

export interface WantedOfCommits {
  readonly with_stats?: boolean
  readonly trailers?: boolean
}

/** Presents commits, with what is wanted of them: one process for each kind, however many commits there are. */
export async function presentCommits(
  req: FastifyRequest,
  repository: StoredRepository,
  commits: readonly Commit[],
  { with_stats = false, trailers = false }: WantedOfCommits = {},
) {
  // Git would read the others whole.
  const whole = commits.flatMap(({ id, isCut }) => (isCut ? [] : [id]))
  const [stats, read] = await Promise.all([
    with_stats ? statsOfCommits(repository, commits) : undefined,
    trailers ? readTrailers(repository, whole) : undefined,
  ])
  const more: CommitMore = { projectUrl: projectUrlOf(req), stats, trailers: read }
  return commits.map((commit) => presentCommit(commit, more))
}

/** The same for one commit. */
export async function presentOneCommit(
  req: FastifyRequest,
  repository: StoredRepository,
  commit: Commit,
  wanted?: WantedOfCommits,
) {
  return onlyOne(await presentCommits(req, repository, [commit], wanted))
}

/** The address of the pages of the project that a route names. */
export const projectUrlOf = (req: FastifyRequest): string =>
  `${req.site}/${req.project().container.full_path}`
