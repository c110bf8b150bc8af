import { GitTimeout, TooMuchForGit } from './errors.ts'
import { NO_OBJECT } from './names.ts'
import { addCommit, type CommitSignature } from './new-commit.ts'
import { PackWriter } from './pack-writer.ts'
import type { Quarantine } from './quarantine.ts'

/** The trees of three commits. */
export interface ThreeTrees {
  /** What both sides come from; undefined for nothing. */
  readonly base: string | undefined
  readonly ours: string
  readonly theirs: string
}

const nobody: CommitSignature = { name: 'nobody', email: 'nobody@localhost', time: 0 }

/**
 * Merges what `theirs` changes in `base` into `ours`. Git takes the base of a merge from the history alone until
 * version 2.40, so the trees get commits for the time of the merge.
 * @returns the merged tree, in the quarantine; undefined for a conflict.
 * @throws {TooMuchForGit} when the merge takes too long.
 */
export async function mergeTrees(
  quarantine: Quarantine,
  { base, ours, theirs }: ThreeTrees,
): Promise<string | undefined> {
  const pack = new PackWriter()
  const commit = (tree: string, parents: readonly string[], message: string) =>
    addCommit(pack, { tree, parents, author: nobody, committer: nobody, message })
  const root = commit(base ?? pack.add('tree', Buffer.alloc(0)), [], 'base')
  const sides = [commit(ours, [root], 'ours'), commit(theirs, [root], 'theirs')]
  await quarantine.add(pack)
  return mergeTree(quarantine, sides)
}

/**
 * Merges two commits; what they come from is told by their history. Histories that have nothing in common can be merged, too.
 * @returns the merged tree, in the quarantine; undefined for a conflict.
 * @throws {TooMuchForGit} when the merge takes too long.
 */
export const mergeCommits = (quarantine: Quarantine, ours: string, theirs: string) =>
  mergeTree(quarantine, ['--allow-unrelated-histories', ours, theirs])

async function mergeTree(quarantine: Quarantine, sides: readonly string[]): Promise<string | undefined> {
  const { output, code } = await tryMerge(quarantine, sides)
  const tree = output.toString('latin1', 0, NO_OBJECT.length)
  return code === 0 ? tree : undefined
}

/**
 * The first files that two commits change in ways that git cannot join; none where they can be merged.
 * @param most how many are told
 * @throws {TooMuchForGit} when finding out takes too long
 */
export async function conflictingFiles(
  quarantine: Quarantine,
  ours: string,
  theirs: string,
  most: number,
): Promise<readonly string[]> {
  const { output, code } = await tryMerge(quarantine, ['-z', '--allow-unrelated-histories', ours, theirs])
  if (code === 0) return []
  const files: string[] = []
  // The first is the id of a tree. There may be a million: only what is told is made a text.
  let end = output.indexOf(0)
  while (files.length < most) {
    const start = end + 1
    end = output.indexOf(0, start)
    if (end === -1) break
    files.push(output.toString('utf8', start, end))
  }
  return files
}

function tryMerge({ repository }: Quarantine, sides: readonly string[]) {
  const args = ['merge-tree', '--write-tree', '--no-messages', '--name-only', ...sides]
  return repository.git.capture(repository, args, { lane: 'write', time: TIME, accept: [1] }).catch(asTooMuch)
}

/** Milliseconds that a merge may take. Git looks for renames no further than the configuration lets it. */
const TIME = 20_000

/** A merge that takes too long today takes too long tomorrow: whoever asks for it need not try again. */
function asTooMuch(error: unknown): never {
  throw error instanceof GitTimeout ? new TooMuchForGit(error) : error
}
