import type { ChangedFile } from './changed-files.ts'
import { noteOf } from './large-files.ts'

/**
 * The hunks of each change, in order; undefined for one whose hunks are longer than `most`. Those of `large` are not in the
 * stream. Ends early where the stream has another patch than the change to be shown: no patch is shown under another's name.
 */
export async function* patchesOf(
  stream: AsyncIterable<Buffer>,
  changes: readonly ChangedFile[],
  large: ReadonlySet<ChangedFile>,
  most: number,
): AsyncGenerator<string | undefined> {
  const parts = partsOf(stream, most)
  try {
    for (const change of changes) {
      if (large.has(change)) {
        yield noteOf(change)
        continue
      }
      const { value: first } = await parts.next()
      if (first === undefined || !isOf(first, change)) return
      if (change.status !== 'type changed') {
        yield first.hunks
        continue
      }
      // Git writes a change of type as a deletion and a creation.
      const { value: second } = await parts.next()
      if (second === undefined || !isOf(second, change)) return
      const both = [first.hunks, second.hunks]
      yield both.includes(undefined) ? undefined : both.join('')
    }
  } finally {
    // Nobody reads on, so the process ends.
    await parts.return(undefined)
  }
}

/** What git writes of one file. */
interface Part {
  /** The lines before the hunks. */
  readonly head: readonly string[]
  /** Undefined where they are longer than they may be. */
  readonly hunks: string | undefined
}

const BEGIN = Buffer.from('diff --git ')

/** Whether a part is about the files of a change. Two names in one line can be read in several ways, but not in all lines. */
function isOf({ head }: Part, { oldPath, newPath, status }: ChangedFile): boolean {
  if (head[0] !== `${BEGIN.toString()}a/${oldPath} b/${newPath}`) return false
  const after = (word: string) => head.find((line) => line.startsWith(word))?.slice(word.length)
  const from = after('rename from ') ?? after('copy from ')
  const to = after('rename to ') ?? after('copy to ')
  const isMoved = status === 'renamed' || status === 'copied'
  const named = isMoved ? from === oldPath && to === newPath : from === undefined && to === undefined
  const isName = (name: string | undefined, expected: string) =>
    // Git ends a name with a blank in it by a tab.
    name === undefined || name === '/dev/null' || name === expected || name === `${expected}\t`
  return named && isName(after('--- '), `a/${oldPath}`) && isName(after('+++ '), `b/${newPath}`)
}

/** What comes from each `diff --git` on. */
async function* partsOf(
  stream: AsyncIterable<Buffer>,
  most: number,
): AsyncGenerator<Part, undefined, undefined> {
  let head: string[] = []
  let lines: Buffer[] = []
  let size = 0
  let inHunks = false
  const finish = () => ({ head, hunks: size > most ? undefined : Buffer.concat(lines).toString('utf8') })
  for await (const line of linesIn(stream)) {
    if (line.subarray(0, BEGIN.length).equals(BEGIN)) {
      if (head.length > 0) yield finish()
      head = [unquoted(line)]
      lines = []
      size = 0
      inHunks = false
      continue
    }
    if (head.length === 0) continue
    inHunks ||= line[0] === 0x40 || line.subarray(0, 13).toString('latin1') === 'Binary files '
    if (!inHunks) {
      head.push(unquoted(line))
      continue
    }
    size += line.length
    if (size <= most) lines.push(line)
    else lines.length = 0
  }
  if (head.length > 0) yield finish()
  return undefined
}

const ESCAPES: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
}

/** A line of a head without its line break and without the quotes and escapes that git writes around names. */
function unquoted(line: Buffer): string {
  const text = line.toString('latin1').replace(/\n$/, '')
  const plain = text.replaceAll(/"((?:[^"\\]|\\.)*)"/g, (_, name: string) =>
    name.replaceAll(/\\([0-7]{3}|.)/g, (__, escape: string) =>
      escape.length === 3 ? String.fromCodePoint(Number.parseInt(escape, 8)) : (ESCAPES[escape] ?? escape),
    ),
  )
  return Buffer.from(plain, 'latin1').toString('utf8')
}

/** The longest line that is kept whole, far longer than a patch may be. */
const MAX_LINE = 2 * 1024 * 1024

/** Lines with their line break. Of longer lines the beginning. */
async function* linesIn(stream: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let pieces: Buffer[] = []
  let held = 0
  const keep = (piece: Buffer) => {
    if (held < MAX_LINE) pieces.push(piece)
    held += piece.length
  }
  for await (const piece of stream) {
    let at = 0
    for (let end = piece.indexOf(0x0a); end >= 0; end = piece.indexOf(0x0a, at)) {
      keep(piece.subarray(at, end + 1))
      yield pieces.length === 1 && pieces[0] !== undefined ? pieces[0] : Buffer.concat(pieces)
      pieces = []
      held = 0
      at = end + 1
    }
    if (at < piece.length) keep(piece.subarray(at))
  }
  if (held > 0) yield Buffer.concat(pieces)
}
