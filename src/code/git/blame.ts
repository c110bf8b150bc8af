import { GitFailed, OutputTooLarge } from './errors.ts'
import type { Repository } from './repository.ts'

/** Neighbouring lines that came with the same commit. */
export interface BlameRange {
  /** The id of the commit. */
  readonly commit: string
  readonly lines: readonly string[]
}

export interface BlameOptions {
  /** The first and the last line, from 1. */
  readonly range?: { readonly first: number; readonly last: number }
}

/** Bytes that git may write about a file, with all its lines. */
const MAX_BLAME_BYTES = 32 * 1024 * 1024
/** Ranges of one answer: each is shown with its commit. */
const MOST_RANGES = 50_000

/**
 * Tells which commit each line of a file comes from. A range may go beyond the end of the file.
 * @param commit an id.
 * @param path of a file that is there.
 * @throws {OutputTooLarge}
 */
export async function blame(
  repository: Repository,
  commit: string,
  path: string,
  { range }: BlameOptions = {},
): Promise<BlameRange[]> {
  const lines = range === undefined ? [] : ['-L', `${range.first},${range.last}`]
  const args = ['blame', '--porcelain', ...lines, commit, '--', path]
  const ranges = rangesOf(
    await repository.git.text(repository, args, { maxBytes: MAX_BLAME_BYTES }).catch(orNoLines),
  )
  if (ranges.length <= MOST_RANGES) return ranges
  throw new OutputTooLarge(`the file has more than ${MOST_RANGES} ranges; ask for a part with range`)
}

/** A range that begins after the end of the file has no lines. Git finds no file in a folder that is out of order. */
function orNoLines(error: unknown): string {
  if (error instanceof GitFailed && / has only \d+ lines?$|^fatal: no such path /m.test(error.stderr))
    return ''
  throw error
}

function rangesOf(text: string): BlameRange[] {
  const ranges: { commit: string; lines: string[] }[] = []
  let commit = ''
  for (const line of text.split('\n')) {
    const header = /^([0-9a-f]{40}) \d+ \d+/.exec(line)
    if (line.startsWith('\t')) {
      const last = ranges.at(-1)
      if (last?.commit === commit) last.lines.push(line.slice(1))
      else ranges.push({ commit, lines: [line.slice(1)] })
    } else if (header?.[1] !== undefined) commit = header[1]
  }
  return ranges
}
