import type { Commit } from './commit.ts'
import { GitTimeout } from './errors.ts'
import { type Found, LETTERS, type SearchBounds } from './grep.ts'
import { readCommits } from './objects.ts'
import type { Repository } from './repository.ts'

/**
 * Finds the commits that a commit reaches and that have a text in one line of their message, ignoring case; the newest first. What
 * was found in time is the answer.
 * @param skip how many of them are passed over.
 */
export async function grepMessages(
  repository: Repository,
  commit: string,
  words: string,
  { most, time, skip }: SearchBounds & { readonly skip: number },
): Promise<Found<Commit>> {
  // To git, each line would be a pattern of its own.
  if (/[\n\r]/.test(words)) return { rows: [], isWhole: true }
  const options = ['--fixed-strings', '--regexp-ignore-case', `--grep=${words}`]
  const args = ['rev-list', ...options, `--skip=${skip}`, `--max-count=${most}`, commit, '--']
  const process = await repository.git.start(repository, args, { time, environment: LETTERS })
  process.stdin.end()
  let text = ''
  let isWhole = true
  try {
    for await (const piece of process.output()) text += piece.toString('latin1')
  } catch (error) {
    if (!(error instanceof GitTimeout)) throw error
    isWhole = false
  }
  // The last line may have been cut off.
  const ids = text.split('\n').slice(0, -1)
  return { rows: await readCommits(repository, ids), isWhole }
}
