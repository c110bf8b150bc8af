import type { Repository } from '#code/git/repository.ts'
import { readTrailersIn, TRAILERS, type Trailer } from '#code/git/trailers.ts'
import { changelogFailed } from './failure.ts'

/** A commit as far as a changelog is about it. */
export interface ChangelogCommit {
  readonly id: string
  readonly parents: readonly string[]
  readonly authorEmail: string
  readonly title: string
  readonly trailers: readonly Trailer[]
}

/** Commits of one changelog, and bytes of what git tells of them. */
const MOST_COMMITS = 5_000
const MOST_BYTES = 32 * 1024 * 1024

const FORMAT = `%H%x1f%P%x1f%ae%x1f%s%x1f${TRAILERS}`

/**
 * All commits that one commit has and another has not, the latest first. Two processes at most tell them: the other one finds what
 * they revert.
 * @throws 422 for too many, 413 for too much text
 */
export async function commitsBetween(
  repository: Repository,
  from: string,
  to: string,
): Promise<{ readonly commits: readonly ChangelogCommit[]; readonly reverted: ReadonlySet<string> }> {
  const read = async (...more: readonly string[]) => {
    const args = ['log', '-z', `--max-count=${MOST_COMMITS + 1}`, ...more, '--stdin']
    const input = `${to}\n^${from}\n`
    const text = await repository.git.text(repository, args, { input, maxBytes: MOST_BYTES })
    return text.split('\0').filter((line) => line !== '')
  }
  const [lines, messages] = await Promise.all([
    read(`--format=${FORMAT}`),
    read('--format=%B', '--fixed-strings', '--grep=This reverts commit '),
  ])
  if (lines.length > MOST_COMMITS)
    throw changelogFailed(`there are more than ${MOST_COMMITS} commits; say \`from\``)
  const reverted = messages.flatMap((text) => [...text.matchAll(REVERTS)].map(([, id = '']) => id))
  return { commits: lines.map(readLine), reverted: new Set(reverted) }
}

const REVERTS = /This reverts commit ([0-9a-f]{40})/g

function readLine(line: string): ChangelogCommit {
  const [id = '', parents = '', authorEmail = '', title = '', ...trailers] = line.split('\x1f')
  return { id, parents: parents.split(' '), authorEmail, title, trailers: readTrailersIn(trailers) }
}
