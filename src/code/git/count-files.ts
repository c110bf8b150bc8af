import { listChanges } from './changed-files.ts'
import { DiffSizes } from './diff-size.ts'
import type { Repository } from './repository.ts'
import { resolveTo } from './resolve.ts'

/** How many files differ between two commits; `most + 1` for more than `most`. */
export async function countChangedFiles(
  repository: Repository,
  before: string,
  after: string,
  most: number,
): Promise<number> {
  const [old, young] = await Promise.all([
    resolveTo(repository, before, 'tree'),
    resolveTo(repository, after, 'tree'),
  ])
  if (!(await new DiffSizes(repository).isBounded(old, young))) return most + 1
  const { total } = await listChanges(repository, before, after, { keep: 0, count: most + 1 })
  return total
}
