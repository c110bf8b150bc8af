import type { Commit } from './commit.ts'
import { GitFailed } from './errors.ts'
import { readCommits } from './objects.ts'
import type { Repository } from './repository.ts'

/** Neighbouring lines that came with the same commit. */
export interface BlameRange {
  readonly commit: Commit
  readonly lines: readonly string[]
}

export interface BlameOptions {
  /** The first and the last line, from 1. */
  readonly range?: { readonly first: number; readonly last: number }
}

/** Bytes that git may write about a file, with all its lines. */
const MOST = 32 * 1024 * 1024

/**
 * Tells which commit each line of a file comes from. A range may go beyond the end of the file.
 * @param commit an id.
 * @param path of a file that is there.
 */
export async function blame(
  repository: Repository,
  commit: string,
  path: string,
  { range }: BlameOptions = {},
): Promise<BlameRange[]> {
  const lines = range === undefined ? [] : ['-L', `${range.first},${range.last}`]
  const args = ['blame', '--porcelain', ...lines, commit, '--', path]
  const groups = groupsOf(await repository.git.text(repository, args, { maxBytes: MOST }).catch(orNoLines))
  const commits = await readCommits(repository, [...new Set(groups.map(({ id }) => id))])
  const known = new Map(commits.map((one) => [one.id, one]))
  return groups.flatMap(({ id, lines }) => {
    const found = known.get(id)
    return found === undefined ? [] : [{ commit: found, lines }]
  })
}

/** A range that begins after the end of the file has no lines. Git finds no file in a folder that is out of order. */
function orNoLines(error: unknown): string {
  if (error instanceof GitFailed && / has only \d+ lines?$|^fatal: no such path /m.test(error.stderr))
    return ''
  throw error
}

function groupsOf(text: string): { id: string; lines: string[] }[] {
  const groups: { id: string; lines: string[] }[] = []
  let id = ''
  for (const line of text.split('\n')) {
    const header = /^([0-9a-f]{40}) \d+ \d+/.exec(line)
    if (line.startsWith('\t')) {
      const last = groups.at(-1)
      if (last?.id === id) last.lines.push(line.slice(1))
      else groups.push({ id, lines: [line.slice(1)] })
    } else if (header?.[1] !== undefined) id = header[1]
  }
  return groups
}
