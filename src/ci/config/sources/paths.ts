import { OutputTooLarge } from '#code/git/errors.ts'
import { NO_RENAMES } from '#code/git/changed-files.ts'
import type { Tree } from './trees.ts'

/** Bytes of all paths of a commit that conditions look at. */
const MOST_BYTES = 16 * 1024 * 1024

/** The paths of all files of a commit, each ended by a NUL; null where there are too many to look at. */
export const pathsIn = ({ repository, sha }: Tree): Promise<string | null> =>
  unlessTooLong(() =>
    repository.git.text(repository, ['ls-tree', '-r', '-z', '--name-only', '--full-tree', sha], {
      maxBytes: MOST_BYTES,
    }),
  )

/** The paths of the files that differ between where a commit left another one and itself; null where too many do. */
export const changedPaths = ({ repository, sha }: Tree, from: string): Promise<string | null> =>
  unlessTooLong(() =>
    repository.git.text(
      repository,
      ['diff-tree', '-r', '-z', '--name-only', '--no-commit-id', NO_RENAMES, from, sha],
      { maxBytes: MOST_BYTES },
    ),
  )

async function unlessTooLong(work: () => Promise<string>): Promise<string | null> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof OutputTooLarge) return null
    throw error
  }
}
