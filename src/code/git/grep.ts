import { GitTimeout } from './errors.ts'
import type { Repository } from './repository.ts'

/** Lines of one file around what was looked for. */
export interface Excerpt {
  /** From the root of the repository. */
  readonly path: string
  /** The number of the first line, from 1. */
  readonly line: number
  readonly text: string
}

/** What a search found within its bounds. */
export interface Found<Row> {
  readonly rows: readonly Row[]
  /** Whether that is all there is. */
  readonly isWhole: boolean
}

export interface SearchBounds {
  /** How many rows are wanted at most. */
  readonly most: number
  /** Milliseconds. */
  readonly time: number
}

/** Where git knows the letters of other scripts, it ignores their case, too. */
export const LETTERS = { LC_ALL: 'C.UTF-8' }

/** Lines shown before and after one that has the words. */
const AROUND = 2
/** In each file, so many lines are found. */
const EACH_FILE = 10
/** Characters shown of a line, and bytes that are enough for them. */
const LINE = 500
const LINE_BYTES = 4 * LINE
/** Bytes that git may write. */
const OUTPUT = 32 * 1024 * 1024

/**
 * Finds the files of a commit with a text in one line, ignoring case. Git takes it for a text and not for a pattern. What
 * was found in time is the answer.
 */
export async function grep(
  repository: Repository,
  commit: string,
  words: string,
  { most, time }: SearchBounds,
): Promise<Found<Excerpt>> {
  // To git, each line would be a pattern of its own; and no line has a line break.
  if (/[\n\r]/.test(words)) return { rows: [], isWhole: true }
  // With one thread alone, git would keep what it found until it has much of it. Files that say they are binary are not read.
  const options = ['-i', '-I', '-z', '-n', '--full-name', '--fixed-strings', '--threads=2']
  const bounds = [`--context=${AROUND}`, `--max-count=${EACH_FILE}`]
  const args = ['grep', ...options, ...bounds, '-e', words, commit, '--']
  const process = await repository.git.start(repository, args, { time, accept: [1], environment: LETTERS })
  process.stdin.end()
  const rows: Excerpt[] = []
  try {
    for await (const excerpt of excerptsIn(process.output(), commit.length + 1)) {
      if (rows.length === most) return { rows, isWhole: false }
      rows.push(excerpt)
    }
  } catch (error) {
    if (!(error instanceof GitTimeout || error instanceof TooMuchFound)) throw error
    return { rows, isWhole: false }
  }
  return { rows, isWhole: true }
}

/** Git has written more than anybody needs. */
class TooMuchFound extends Error {}

interface Line {
  readonly path: string
  readonly number: number
  readonly text: string
}

/** Puts lines together that follow each other in a file. */
async function* excerptsIn(output: AsyncIterable<Buffer>, prefix: number): AsyncGenerator<Excerpt> {
  let lines: Line[] = []
  const excerpt = (): Excerpt[] => {
    const [first] = lines
    if (first === undefined) return []
    const text = lines.map((line) => `${line.text}\n`).join('')
    return [{ path: first.path, line: first.number, text }]
  }
  try {
    for await (const line of linesIn(output, prefix)) {
      const last = lines.at(-1)
      if (last !== undefined && (last.path !== line.path || last.number + 1 !== line.number)) {
        yield* excerpt()
        lines = []
      }
      lines.push(line)
    }
  } catch (error) {
    // What came before the end is shown.
    yield* excerpt()
    throw error
  }
  yield* excerpt()
}

const SEPARATOR = Buffer.from('--\n')

/**
 * The lines that git found: each is the commit, a colon, the path, a zero, the number, a zero and the line. A path may have line
 * breaks. Of a long line, only the beginning is kept.
 * @param prefix how many bytes precede the path.
 */
async function* linesIn(output: AsyncIterable<Buffer>, prefix: number): AsyncGenerator<Line> {
  let rest: Buffer = Buffer.alloc(0)
  let passed = 0
  // Whether what comes is the end of a line whose beginning is known.
  let skips = false
  for await (const piece of output) {
    passed += piece.length
    if (passed > OUTPUT) throw new TooMuchFound()
    rest = rest.length === 0 ? piece : Buffer.concat([rest, piece])
    for (;;) {
      if (skips) {
        const end = rest.indexOf(0x0a)
        rest = end < 0 ? Buffer.alloc(0) : rest.subarray(end + 1)
        skips = end < 0
        if (skips) break
      }
      if (rest.length < SEPARATOR.length) break
      if (rest.subarray(0, SEPARATOR.length).equals(SEPARATOR)) {
        rest = rest.subarray(SEPARATOR.length)
        continue
      }
      const afterPath = rest.indexOf(0, prefix)
      const afterNumber = afterPath < 0 ? -1 : rest.indexOf(0, afterPath + 1)
      if (afterNumber < 0) break
      const end = rest.indexOf(0x0a, afterNumber + 1)
      if (end < 0 && rest.length - afterNumber <= LINE_BYTES) break
      const stop = Math.min(end < 0 ? rest.length : end, afterNumber + 1 + LINE_BYTES)
      yield {
        path: rest.toString('utf8', prefix, afterPath),
        number: Number(rest.toString('latin1', afterPath + 1, afterNumber)),
        text: rest
          .toString('utf8', afterNumber + 1, stop)
          .slice(0, LINE)
          .toWellFormed(),
      }
      skips = end < 0
      rest = end < 0 ? Buffer.alloc(0) : rest.subarray(end + 1)
    }
  }
}
