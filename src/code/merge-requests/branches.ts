import { copyObjects } from '#code/git/copy-objects.ts'
import { countChangedFiles } from '#code/git/count-files.ts'
import { mergeBase } from '#code/git/history.ts'
import { BRANCHES, isShortName } from '#code/git/names.ts'
import { objectInfo } from '#code/git/objects.ts'
import { Quarantine } from '#code/git/quarantine.ts'
import { readReferences } from '#code/git/references.ts'
import { keepCommit } from '#code/repositories/keep-commit.ts'
import type { Repositories } from '#code/repositories/repositories.ts'
import type { StoredRepository } from '#code/repositories/rows.ts'

/** The branches of a merge request, by the ids of their projects. */
export interface Branches {
  readonly source: { readonly project: number; readonly branch: string }
  readonly target: { readonly project: number; readonly branch: string }
}

/** What a merge request compares. */
export interface Comparison {
  /** The tip of the source branch. */
  readonly head_sha: string
  /** The last commit that both branches have; null for unrelated histories. */
  readonly base_sha: string | null
  /** The tip of the target branch. */
  readonly start_sha: string
  /** Files that differ; 1,001 means more than 1,000. */
  readonly changed_files: number
}

/** Beyond this, files that differ are not counted. */
const MOST_FILES = 1_000

/** The tip of a branch; undefined when it is not there. */
export async function tipOf(
  repository: StoredRepository | undefined,
  branch: string,
): Promise<string | undefined> {
  // Git would take another name, such as `main~1`, for more than a branch.
  if (repository === undefined || !isShortName(branch)) return undefined
  const ref = BRANCHES + branch
  return (await readReferences(repository, [ref])).get(ref)
}

/**
 * Compares the branches of a merge request. What the source has goes into the repository of the target, where a hidden
 * reference keeps it, so that a fork that is deleted takes nothing with it.
 * @returns `no source` or `no target` when that branch does not exist.
 * @throws 503 or 507 when a repository cannot be read or written.
 */
export async function compareBranches(
  repositories: Repositories,
  { source, target }: Branches,
): Promise<Comparison | 'no source' | 'no target'> {
  const into = await repositories.ofProject(target.project)
  const from = source.project === target.project ? into : await repositories.ofProject(source.project)
  const [head, start] = await Promise.all([tipOf(from, source.branch), tipOf(into, target.branch)])
  if (head === undefined || from === undefined) return 'no source'
  if (start === undefined || into === undefined) return 'no target'
  if (from.id !== into.id) await fetchCommit(from, into, head)
  const [comparison] = await Promise.all([
    compareCommits(into, head, start),
    keepCommit(repositories, into, head),
  ])
  return comparison
}

/** Compares two commits of one repository as a merge request does. */
export async function compareCommits(
  repository: StoredRepository,
  head_sha: string,
  start_sha: string,
): Promise<Comparison> {
  const base = await mergeBase(repository, [start_sha, head_sha])
  const changed_files = await countChangedFiles(repository, base ?? start_sha, head_sha, MOST_FILES)
  return { head_sha, base_sha: base ?? null, start_sha, changed_files }
}

/** Brings a commit with all that it needs from one repository into another. */
export async function fetchCommit(from: StoredRepository, into: StoredRepository, id: string): Promise<void> {
  if ((await objectInfo(into, id)) !== undefined) return
  await using quarantine = await Quarantine.open(into)
  await copyObjects(from, into, [id], quarantine)
  await quarantine.keep()
}
