import { COMPARING, NO_RENAMES } from '#code/git/changed-files.ts'
import type { Repository } from '#code/git/repository.ts'
import type { Paths } from '../conditions.ts'

/** Bytes of the paths that conditions look at: those of about 600,000 files. */
const MOST_BYTES = 32 * 1024 * 1024

/** Paths that differ between two commits; of what was renamed, both. One process. */
export const changedPaths = (repository: Repository, before: string, after: string): Promise<Paths> =>
  repository.git.text(
    repository,
    ['diff-tree', ...COMPARING, NO_RENAMES, '--name-only', '-z', before, after, '--'],
    { maxBytes: MOST_BYTES },
  )

/** Paths of all files of a commit; submodules are none. One process. */
export async function existingPaths(repository: Repository, commit: string): Promise<Paths> {
  const args = ['ls-tree', '-r', '-z', '--format=%(objecttype) %(path)', commit]
  const all = await repository.git.text(repository, args, { maxBytes: MOST_BYTES })
  return all.replaceAll(/(?<=^|\0)(?:commit [^\0]*\0|blob )/g, '')
}
