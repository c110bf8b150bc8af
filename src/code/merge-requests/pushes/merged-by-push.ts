import { KEPT, NO_OBJECT } from '#code/git/names.ts'
import { mergedInto } from '#code/git/references.ts'
import { readCommit } from '#code/git/objects.ts'
import type { StoredRepository } from '#code/repositories/rows.ts'
import type { AffectedMergeRequest } from './affected.ts'

/** A branch that a push has moved, by its name. */
export interface MovedBranch {
  readonly branch: string
  readonly before: string
  readonly after: string
  /** The commits that came to it, where they are known. */
  readonly brought?: readonly string[] | undefined
}

/** A merge request that a push has merged. */
export interface MergedMergeRequest {
  readonly row: AffectedMergeRequest
  /** What was merged. */
  readonly head_sha: string
  readonly merge_commit_sha: string | null
  readonly squash_commit_sha: string | null
}

/** Those of some merge requests whose commits came to their target branches by a push. */
export async function mergedBy(
  repository: StoredRepository,
  rows: readonly AffectedMergeRequest[],
  moved: readonly MovedBranch[],
): Promise<readonly MergedMergeRequest[]> {
  const byBranch = Map.groupBy(rows, ({ target_branch }) => target_branch)
  const merged: MergedMergeRequest[] = []
  for (const { branch, before, after, brought } of moved) {
    const into = byBranch.get(branch) ?? []
    if (into.length === 0 || before === NO_OBJECT || after === NO_OBJECT) continue
    const reached = new Set(brought ?? (await reachedBy(repository, into, before, after)))
    const came = into.filter(({ head_sha }) => reached.has(head_sha))
    const tip = came.length === 0 ? undefined : await readCommit(repository, after)
    for (const row of came) {
      const isMerge = tip?.parents.length === 2 && tip.parents[1] === row.head_sha
      const merge_commit_sha = isMerge ? after : null
      merged.push({ row, head_sha: row.head_sha, merge_commit_sha, squash_commit_sha: null })
    }
  }
  return merged
}

/** The commits of some merge requests that a branch did not have before a push. */
async function reachedBy(
  repository: StoredRepository,
  rows: readonly AffectedMergeRequest[],
  before: string,
  after: string,
): Promise<readonly string[]> {
  const names = [...new Set(rows.map(({ head_sha }) => KEPT + head_sha))]
  return (await mergedInto(repository, after, names, before)).map(({ id }) => id)
}

/** What became of the merge request that a change of references was made for. The new tip tells whether commits were squashed. */
export async function mergedAsAsked(
  repository: StoredRepository,
  row: AffectedMergeRequest,
  { head, after }: { readonly head: string; readonly after: string },
): Promise<MergedMergeRequest> {
  const tip = await readCommit(repository, after)
  const [, second] = tip?.parents ?? []
  const isMerge = after !== head && second !== undefined
  const brought = isMerge ? second : after
  return {
    row,
    head_sha: head,
    merge_commit_sha: isMerge ? after : null,
    squash_commit_sha: brought === head ? null : brought,
  }
}
