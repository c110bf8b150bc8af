import { diff, type FileDiff } from '#code/git/diff.ts'
import type { Repository } from '#code/git/repository.ts'
import { lineAfter } from '#code/commits/notes/diff-lines.ts'
import { BytesLeft, linesOfFile } from './file-lines.ts'
import { MAX_BYTES_TOGETHER } from './limits.ts'

/** Lines of a file in a commit, and what they were. */
export interface StandingLines {
  readonly path: string
  readonly at_sha: string
  readonly from_line: number
  readonly to_line: number
  readonly from_content: string
}

/** The same lines in another commit. */
export interface FollowedLines {
  readonly at_sha: string
  readonly from_line: number
  readonly to_line: number
  /** They are not what they were, or are not there. */
  readonly outdated: boolean
}

/** From how many commits lines are followed by what differs. From others their numbers stay, which is right where the file is the same. */
const MOST_COMMITS = 10

/**
 * Finds lines of files in another commit, in the same order. Each commit from which they come takes a process, and each file is read once.
 * @returns those of the files that are not too large together; lines of further ones are left out
 */
export async function followLines<Lines extends StandingLines>(
  repository: Repository,
  tip: string,
  all: readonly Lines[],
): Promise<(Lines & FollowedLines)[]> {
  const changes = await changesTo(repository, tip, all)
  const left = new BytesLeft(MAX_BYTES_TOGETHER)
  const followed = new Map<Lines, FollowedLines>()
  for (const [path, ofFile] of Map.groupBy(all, (lines) => lines.path)) {
    const file = await linesOfFile(repository, tip, path, left)
    if (left.isSpent) break
    for (const lines of ofFile) {
      const { from_line, to_line } = movedBy(changes.get(lines.at_sha)?.get(path), lines)
      const outdated = (file?.between(from_line, to_line) ?? '') !== lines.from_content
      followed.set(lines, { at_sha: tip, from_line, to_line, outdated })
    }
  }
  return all.flatMap((lines) => {
    const now = followed.get(lines)
    return now === undefined ? [] : [{ ...lines, ...now }]
  })
}

type Changes = ReadonlyMap<string, FileDiff>

/** How the files differ, by the commits from which lines come. */
async function changesTo(
  repository: Repository,
  tip: string,
  all: readonly StandingLines[],
): Promise<ReadonlyMap<string, Changes>> {
  const changes = new Map<string, Changes>()
  const byCommit = Map.groupBy(all, ({ at_sha }) => at_sha)
  byCommit.delete(tip)
  for (const [before, lines] of [...byCommit].slice(0, MOST_COMMITS)) {
    const paths = [...new Set(lines.map(({ path }) => path))].toSorted()
    const { files } = await diff(repository, before, tip, { paths })
    changes.set(before, new Map(files.map((file) => [file.oldPath, file])))
  }
  return changes
}

type Range = Pick<StandingLines, 'from_line' | 'to_line'>

/** The numbers of lines after a change of their file. Where it takes some of them away, they stay as they are. */
function movedBy(change: FileDiff | undefined, { from_line, to_line }: Range): Range {
  if (change === undefined || change.tooLarge || change.collapsed) return { from_line, to_line }
  const [from, to] = [lineAfter(change.patch, from_line), lineAfter(change.patch, to_line)]
  if (from === null || to === null || to - from !== to_line - from_line) return { from_line, to_line }
  return { from_line: from, to_line: to }
}
