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

/** Commits of one changelog, all their trailers together, and bytes of what git tells of them. */
const MOST_COMMITS = 5_000
const MOST_TRAILERS = 100_000
const MOST_BYTES = 32 * 1024 * 1024

const FORMAT = `%H%x1f%P%x1f%ae%x1f%s%x1f${TRAILERS}`

/**
 * All commits that one commit has and another has not, the latest first, and what they revert. Nobody looks for that before it is known
 * that the commits are not too many.
 * @throws 422 for too many of them or of their trailers, 413 for too much text
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
  const lines = await read(`--format=${FORMAT}`)
  if (lines.length > MOST_COMMITS)
    throw changelogFailed(`there are more than ${MOST_COMMITS} commits; say \`from\``)
  const commits = readLines(lines)
  const messages = await read('--format=%B', '--fixed-strings', '--grep=This reverts commit ')
  const reverted = messages.flatMap((text) => [...text.matchAll(REVERTS)].map(([, id = '']) => id))
  return { commits, reverted: new Set(reverted) }
}

const REVERTS = /This reverts commit ([0-9a-f]{40})/g

function readLines(lines: readonly string[]): ChangelogCommit[] {
  let left = MOST_TRAILERS
  return lines.map((line) => {
    // One commit may have a million of them.
    const [id = '', parents = '', authorEmail = '', title = '', ...trailers] = line.split(
      '\x1f',
      BEFORE_TRAILERS + left + 1,
    )
    left -= trailers.length
    if (left < 0) throw changelogFailed(`the commits have more than ${MOST_TRAILERS} trailers; say \`from\``)
    return { id, parents: parents.split(' '), authorEmail, title, trailers: readTrailersIn(trailers) }
  })
}

/** How many values of a line come before the trailers. */
const BEFORE_TRAILERS = 4
