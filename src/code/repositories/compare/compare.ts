import type { Commit } from '#code/git/commit.ts'
import { type Diff, diff } from '#code/git/diff.ts'
import { log, mergeBase } from '#code/git/history.ts'
import type { Repository } from '#code/git/repository.ts'

/** The most commits that a comparison lists. */
const MAX_COMMITS = 10_000

export interface CommitComparison {
  /** What only `to` has, the oldest first. */
  readonly commits: readonly Commit[]
  readonly diff: Diff
  /** Commits or files are left out because there are too many. */
  readonly overflow: boolean
}

/**
 * How two commits differ.
 * @param straight whether `from` itself counts, and not where the two have parted.
 */
export async function compare(
  repository: Repository,
  from: string,
  to: string,
  straight: boolean,
): Promise<CommitComparison> {
  const base = straight ? from : ((await mergeBase(repository, [from, to])) ?? from)
  const [commits, files] = await Promise.all([
    log(repository, { from: [to], not: [from] }, { skip: 0, limit: MAX_COMMITS + 1 }),
    diff(repository, base, to),
  ])
  const overflow = commits.length > MAX_COMMITS || files.overflow
  return { commits: commits.slice(0, MAX_COMMITS).toReversed(), diff: files, overflow }
}
