import type { Repository } from './repository.ts'
import { records } from './tree.ts'

export interface NewPathsOptions {
  /** The only files that count. Without them git compares whole trees, which takes long for many commits. */
  readonly among?: readonly string[]
}

/** Milliseconds that git may take. */
const TIME = 120_000

/**
 * The files that commits change which no reference of the repository reaches yet. Of a merge, those that differ from all of
 * its parents. A file may come more than once, and folders of the same name may come with the files that are asked for.
 * @param ids commits, or tags of commits
 */
export async function* newPaths(
  repository: Repository,
  ids: readonly string[],
  { among = [] }: NewPathsOptions = {},
): AsyncGenerator<string> {
  const args = [
    'log',
    '--format=',
    '--name-only',
    '-z',
    '-c',
    '--root',
    '--no-renames',
    '--no-ext-diff',
    '--full-history',
    '--stdin',
    '--not',
    '--all',
    '--',
    ...among,
  ]
  const process = await repository.git.start(repository, args, { lane: 'transfer', time: TIME })
  process.stdin.end(ids.map((id) => `${id}\n`).join(''))
  for await (const record of records(process.output())) {
    const path = record.toString('utf8').replace(/^\n+/, '')
    if (path !== '') yield path
  }
}
