import type { Commit } from './commit.ts'
import {
  type ChangedFile,
  COMPARING,
  EMPTY_TREE,
  listChanges,
  type ListedChanges,
  type ListOptions,
  listWithoutRenames,
  NO_RENAMES,
} from './changed-files.ts'
import { largeAmong } from './large-files.ts'
import { patchesOf } from './patches.ts'
import { boundedCommits, DiffSizes } from './diff-size.ts'
import { GitTimeout, TooMuchForGit } from './errors.ts'
import { resolveTo } from './resolve.ts'
import type { Repository } from './repository.ts'

export { EMPTY_TREE } from './changed-files.ts'

/** How one file differs. */
export interface FileDiff extends ChangedFile {
  /** The hunks, from the first `@@`; a note for binary files. Empty without changed lines, and when too large. */
  readonly patch: string
  /** The patch is left out because it is larger than a patch may be. */
  readonly tooLarge: boolean
  /**
   * The patch is left out because all patches together are larger than they may be, or take too long; or because git wrote
   * another one than the list of changes led to expect, so that nobody reads it under a wrong name.
   */
  readonly collapsed: boolean
}

/** What a diff may hold. What lies beyond is not lost: `overflow` says that there is more. */
export interface DiffLimits {
  readonly files: number
  /** Files before the first one that the diff holds; by default none. */
  readonly skip?: number
  /** Bytes of one patch. */
  readonly patchBytes: number
  /** Bytes of all patches. */
  readonly allBytes: number
}

export const standardLimits: DiffLimits = { files: 3_000, patchBytes: 204_800, allBytes: 5_242_880 }

export interface Diff {
  readonly files: readonly FileDiff[]
  /** How many files differ. */
  readonly total: number
  /** There are more files than the limits allow, or their patches are too large together. */
  readonly overflow: boolean
}

export interface DiffOptions {
  readonly limits?: DiffLimits
  readonly paths?: readonly string[]
}

/** Milliseconds that git may take for the patches of one answer. */
const PATCHES = 20_000

/**
 * How two commits or trees differ. Both are ids.
 * @throws {TooMuchForGit} when there are more changes than git can look at.
 */
export async function diff(
  repository: Repository,
  before: string,
  after: string,
  { limits = standardLimits, paths = [] }: DiffOptions = {},
): Promise<Diff> {
  // Two commits that were compared once are not too much for git.
  const ask = async () => {
    await assertBounded(repository, before, after)
    return compare(repository, before, after, { limits, paths })
  }
  const key = `diff ${before} ${after} ${JSON.stringify([limits, paths])}`
  return (await repository.git.kept.answer(repository, key, ask, { bytes: bytesOf })).diff
}

interface Compared {
  readonly diff: Diff
  /** Git had the time for all of it, so it would answer the same again. */
  readonly isWhole: boolean
}

const bytesOf = ({ diff: { files }, isWhole }: Compared): number | undefined =>
  isWhole
    ? files.reduce(
        (sum, { patch, oldPath, newPath }) =>
          sum + 2 * (patch.length + oldPath.length + newPath.length) + 400,
        0,
      )
    : undefined

async function compare(
  repository: Repository,
  before: string,
  after: string,
  { limits, paths }: Required<DiffOptions>,
): Promise<Compared> {
  const { skip = 0 } = limits
  const keep = skip + limits.files
  const { changes, total, renames, large } = await changesToShow(repository, before, after, { paths, keep })
  const shown = changes.slice(skip)
  let isWhole = renames !== NO_RENAMES
  if (shown.length === 0) return { diff: { files: [], total, overflow: false }, isWhole }
  const chosen = [
    ...paths.map((path) => `:(literal)${path}`),
    ...[...large].map(({ newPath }) => `:(exclude,literal)${newPath}`),
  ]
  const args = ['diff-tree', ...COMPARING, renames, '--patch', before, after, '--', ...chosen]
  // Each path says itself that it is literal, because git takes no exclusions otherwise.
  const environment = { GIT_LITERAL_PATHSPECS: '0' }
  const process = await repository.git.start(repository, args, { time: PATCHES, environment })
  process.stdin.end()
  const patches: (string | undefined)[] = []
  let passed = 0
  let bytes = 0
  try {
    for await (const patch of patchesOf(process.output(), changes, large, limits.patchBytes)) {
      passed += 1
      if (passed <= skip) continue
      bytes += patch?.length ?? 0
      if (bytes > limits.allBytes) break
      if (patches.push(patch) === shown.length) break
    }
  } catch (error) {
    // What came in time is shown.
    if (!(error instanceof GitTimeout)) throw error
    isWhole = false
  }
  const files = shown.map((change, index) => {
    const patch = patches[index]
    const collapsed = index >= patches.length
    return { ...change, patch: patch ?? '', tooLarge: patch === undefined && !collapsed, collapsed }
  })
  const overflow = total > skip + shown.length || patches.length < shown.length
  return { diff: { files, total, overflow }, isWhole }
}

/**
 * The changes, and those of them whose patch git is told to leave out. Where there are such, renames are not looked for: what is
 * left out decides which of the other files git would take for renamed, and so how their patches come.
 */
async function changesToShow(
  repository: Repository,
  before: string,
  after: string,
  options: ListOptions,
): Promise<ListedChanges & { readonly large: ReadonlySet<ChangedFile> }> {
  const listed = await listChanges(repository, before, after, options)
  const large = await largeAmong(repository, listed.changes)
  if (large.size === 0 || listed.renames === NO_RENAMES) return { ...listed, large }
  const apart = await listWithoutRenames(repository, before, after, options)
  return { ...apart, large: await largeAmong(repository, apart.changes) }
}

/** @throws {TooMuchForGit} when more files differ than git can look at */
export async function assertBounded(repository: Repository, before: string, after: string): Promise<void> {
  const [old, young] = await Promise.all([treeOf(repository, before), treeOf(repository, after)])
  if (await new DiffSizes(repository).isBounded(old, young)) return
  throw new TooMuchForGit(new Error(`too many files differ between ${before} and ${after}`))
}

/** The tree of a commit or tree. Undefined for the empty one, which no repository need have. */
async function treeOf(repository: Repository, id: string): Promise<string | undefined> {
  return id === EMPTY_TREE ? undefined : resolveTo(repository, id, 'tree')
}

/** How a commit differs from its first parent, or from nothing. */
export function diffOfCommit(
  repository: Repository,
  { id, parents }: { readonly id: string; readonly parents: readonly string[] },
  options?: DiffOptions,
): Promise<Diff> {
  return diff(repository, parents[0] ?? EMPTY_TREE, id, options)
}

export interface DiffStats {
  readonly additions: number
  readonly deletions: number
}

/**
 * How many lines each commit adds and removes against its first parent: one process for all of them.
 * @returns nothing for commits with more changes than git can look at, and for none when it takes too long.
 */
export async function statsOfCommits(
  repository: Repository,
  commits: readonly Commit[],
): Promise<ReadonlyMap<string, DiffStats>> {
  const byId = new Map(commits.map((commit) => [commit.id, commit]))
  const ask = (missing: readonly string[]) =>
    countLines(
      repository,
      missing.flatMap((id) => byId.get(id) ?? []),
    )
  return repository.git.kept.answers(repository, 'stats', [...byId.keys()], ask, { bytes: () => 64 })
}

async function countLines(
  repository: Repository,
  commits: readonly Commit[],
): Promise<ReadonlyMap<string, DiffStats>> {
  const ids = (await boundedCommits(repository, commits)).map(({ id }) => id)
  if (ids.length === 0) return new Map()
  const args = [
    'diff-tree',
    '--stdin',
    '--root',
    '-r',
    '--shortstat',
    '--diff-merges=first-parent',
    '--no-ext-diff',
  ]
  const counting = repository.git.text(repository, args, { input: ids.map((id) => `${id}\n`).join('') })
  const text = await counting.catch(orUndefined)
  if (text === undefined) return new Map()
  const stats = new Map<string, DiffStats>(ids.map((id) => [id, { additions: 0, deletions: 0 }]))
  let current = ''
  for (const line of text.split('\n')) {
    if (/^[0-9a-f]{40}$/.test(line)) current = line
    else if (line !== '') stats.set(current, readStats(line))
  }
  return stats
}

function orUndefined(error: unknown): undefined {
  if (!(error instanceof GitTimeout)) throw error
}

/** Reads ` 3 files changed, 2 insertions(+), 1 deletion(-)`; parts that are 0 are left out there. */
function readStats(line: string): DiffStats {
  const number = (word: string) => Number(new RegExp(`(\\d+) ${word}`).exec(line)?.[1] ?? 0)
  return { additions: number('insertion'), deletions: number('deletion') }
}
