import { RepositoryCorrupt } from '#code/git/errors.ts'
import { mergeBase, type Offer } from '#code/git/history.ts'
import { mergeCommits } from '#code/git/merge-trees.ts'
import { Quarantine } from '#code/git/quarantine.ts'
import type { Repository } from '#code/git/repository.ts'
import { resolveTo } from '#code/git/resolve.ts'
import type { MergeObstacle } from '#platform/db/schema.ts'
import type { Repositories } from '#code/repositories/repositories.ts'
import type { StoredRepository } from '#code/repositories/rows.ts'
import { tipOf } from '../branches.ts'
import type { MergeRequestRow } from '../queries.ts'

/** What git merges: the branches of a merge request, as they are now. */
export interface MergeInput {
  /** The repository of the target. */
  readonly repository: StoredRepository
  /** The tip of the source branch, as the merge request has it. */
  readonly head: string
  /** The tip of the target branch. */
  readonly target: string
  /** Whether the target has commits that the source lacks. */
  readonly isBehind: boolean
}

type MergeRequestBranches = Pick<
  MergeRequestRow,
  'project_id' | 'source_project_id' | 'source_branch' | 'target_branch' | 'head_sha'
>

/** How a target stands to what is merged into it. Undefined where that brings nothing. */
type Standing = Pick<Offer, 'isBehind'>

export const standingOf = async (
  repository: Repository,
  target: string,
  head: string,
): Promise<Standing | undefined> => {
  const base = await mergeBase(repository, [target, head])
  return base === head ? undefined : { isBehind: base !== target }
}

/**
 * Finds both branches.
 * @param ask for how they stand to each other, and whatever else the caller wants to know of them.
 * @returns undefined where one is gone, or where the source has no commits that the target lacks.
 */
export async function mergeInputOf<Known extends Standing = Standing>(
  repositories: Repositories,
  row: MergeRequestBranches,
  ask: (repository: Repository, target: string, head: string) => Promise<Known | undefined>,
): Promise<(MergeInput & Known) | undefined> {
  const { project_id, source_project_id, head_sha: head } = row
  if (source_project_id === null) return undefined
  const repository = await repositories.ofProject(project_id)
  const source =
    source_project_id === project_id ? repository : await repositories.ofProject(source_project_id)
  const [target, tip] = await Promise.all([
    tipOf(repository, row.target_branch),
    tipOf(source, row.source_branch),
  ])
  if (repository === undefined || target === undefined || tip === undefined) return undefined
  const known = await ask(repository, target, head)
  return known && { repository, head, target, ...known }
}

/** The tree of the merge, in the quarantine; undefined for a conflict. */
export async function mergedTree(
  quarantine: Quarantine,
  { repository, isBehind, head, target }: MergeInput,
): Promise<string | undefined> {
  return isBehind ? mergeCommits(quarantine, target, head) : treeOf(repository, head)
}

export async function treeOf(repository: Repository, id: string): Promise<string> {
  const tree = await resolveTo(repository, id, 'tree')
  if (tree === undefined) throw new RepositoryCorrupt(new Error(`${repository.folder} has no commit ${id}`))
  return tree
}

/** What stands between a merge request and a merge, as far as its commits go. */
export interface Mergeability {
  readonly obstacle: MergeObstacle | null
  readonly behind: boolean
  /** The tip of the target branch that this is about. */
  readonly target: string | undefined
}

/** Tries the merge, and keeps nothing of it. */
export async function mergeabilityOf(
  repositories: Repositories,
  row: MergeRequestBranches,
): Promise<Mergeability> {
  const input = await mergeInputOf(repositories, row, standingOf)
  if (input === undefined) return { obstacle: 'commits_status', behind: false, target: undefined }
  const { repository, target, isBehind: behind } = input
  if (!behind) return { obstacle: null, behind, target }
  await using quarantine = await Quarantine.open(repository)
  const tree = await mergedTree(quarantine, input)
  return { obstacle: tree === undefined ? 'conflict' : null, behind, target }
}
