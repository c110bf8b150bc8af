import type { ChangelogCommit } from './commits-between.ts'

/** A merge request that was merged, by the commits that tell of it. */
export interface Merged {
  readonly iid: number
  readonly head_sha: string
  readonly base_sha: string | null
  readonly merge_commit_sha: string | null
  readonly squash_commit_sha: string | null
}

/**
 * Which merge request brought each commit first: the one whose merge has it behind a parent that is not the first one, or whose squash it
 * is; without a commit of a merge, what leads from its head to its base.
 * @param tip the commit with which all of them are reached
 */
export function introducedBy(
  commits: readonly ChangelogCommit[],
  tip: string,
  merged: readonly Merged[],
): ReadonlyMap<string, number> {
  const parentsOf = new Map(commits.map(({ id, parents }) => [id, parents]))
  const madeBy = new Map(
    merged.flatMap(({ iid, merge_commit_sha, squash_commit_sha }) =>
      [merge_commit_sha, squash_commit_sha].flatMap((id) => (id === null ? [] : [[id, iid] as const])),
    ),
  )
  const found = new Map<string, number>()
  const seen = new Set<string>()
  /** Goes along the first parents, the earliest first, and into what each of them merged. */
  const walk = (from: string, by: number | undefined): void => {
    const chain: string[] = []
    for (let at: string | undefined = from; at !== undefined && !seen.has(at); at = parentsOf.get(at)?.[0]) {
      if (!parentsOf.has(at)) break
      chain.push(at)
    }
    for (const id of chain.toReversed()) {
      seen.add(id)
      const iid = madeBy.get(id) ?? by
      if (iid !== undefined) found.set(id, iid)
      for (const parent of parentsOf.get(id)?.slice(1) ?? []) walk(parent, iid)
    }
  }
  walk(tip, undefined)
  for (const { iid, head_sha, base_sha } of merged) {
    const isFree = (id: string | undefined): id is string =>
      id !== undefined && id !== base_sha && parentsOf.has(id) && !found.has(id)
    for (let at: string | undefined = head_sha; isFree(at); at = parentsOf.get(at)?.[0]) found.set(at, iid)
  }
  return found
}
