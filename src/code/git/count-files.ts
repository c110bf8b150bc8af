import { DiffSizes } from './diff-size.ts'
import type { Repository } from './repository.ts'
import { resolveTo } from './resolve.ts'
import { records } from './tree.ts'

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
  const args = ['diff-tree', '-r', '--find-renames', '--name-only', '-z', before, after, '--']
  const process = await repository.git.start(repository, args, { time: 30_000 })
  process.stdin.end()
  let count = 0
  for await (const _ of records(process.output())) {
    count += 1
    if (count > most) break
  }
  return count
}
