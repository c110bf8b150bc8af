import type { Commit } from '#code/git/commit.ts'
import { logIds } from '#code/git/history.ts'
import { branchOf, NO_OBJECT } from '#code/git/names.ts'
import { objectInfo, readCommit, readCommits } from '#code/git/objects.ts'
import type { Repository } from '#code/git/repository.ts'
import type { ReferenceChange } from '#code/repositories/rules.ts'

/** The most commits whose messages are read. Who brings more imports a history, and says nothing by it. */
export const MOST_COMMITS = 100

/** Bytes of the largest commit that is read. */
const LARGEST = 64 * 1024

/** Those of some changes that move a branch to a commit. */
export const movedBranches = (changes: readonly ReferenceChange[]): readonly ReferenceChange[] =>
  changes.filter(({ ref, after }) => branchOf(ref) !== undefined && after !== NO_OBJECT)

/**
 * The commits that changes brought to branches, oldest first.
 * @param known what else was there before; null for nothing.
 * @param brought what is known of the commits that single changes brought.
 * @returns none when there are more than {@link MOST_COMMITS}.
 */
export async function newCommits(
  repository: Repository,
  changes: readonly ReferenceChange[],
  known: string | null,
  brought: ReadonlyMap<string, readonly string[]> = new Map(),
): Promise<readonly Commit[]> {
  const [only] = changes
  if (only === undefined) return []
  const single = changes.length === 1 ? await nextCommit(repository, only) : undefined
  if (single !== undefined) return [single]
  const listed = changes.length === 1 && known === null ? brought.get(only.ref) : undefined
  const ids = listed ?? (await idsOf(repository, changes, known))
  if (ids.length > MOST_COMMITS) return []
  const sizes = await Promise.all(ids.map((id) => objectInfo(repository, id)))
  const small = ids.filter((_, index) => (sizes[index]?.size ?? LARGEST + 1) <= LARGEST)
  return readCommits(repository, small.toReversed())
}

async function idsOf(
  repository: Repository,
  changes: readonly ReferenceChange[],
  known: string | null,
): Promise<readonly string[]> {
  const before = changes.flatMap((change) => (change.before === NO_OBJECT ? [] : [change.before]))
  const filter = {
    from: changes.map(({ after }) => after),
    not: known === null ? before : [...before, known],
  }
  return logIds(repository, filter, { skip: 0, limit: MOST_COMMITS + 1 })
}

/** The new commit of a branch that grew by one alone: the usual change, for which no process is needed. */
async function nextCommit(
  repository: Repository,
  { before, after }: ReferenceChange,
): Promise<Commit | undefined> {
  const info = await objectInfo(repository, after)
  if (info?.type !== 'commit' || info.size > LARGEST) return undefined
  const commit = await readCommit(repository, after)
  return commit?.parents.length === 1 && commit.parents[0] === before ? commit : undefined
}
