import { OutputTooLarge } from './processes/git.ts'
import { records } from './tree.ts'
import type { Repository } from './repository.ts'

/** How one file differs. */
export interface FileDiff {
  readonly oldPath: string
  readonly newPath: string
  /** Six octal digits; `000000` where there is no file. */
  readonly oldMode: string
  readonly newMode: string
  readonly oldId: string
  readonly newId: string
  readonly status: 'added' | 'deleted' | 'modified' | 'renamed' | 'copied' | 'type changed'
  /** The hunks, from the first `@@`; a note for binary files. Empty without changed lines, and when too large. */
  readonly patch: string
  /** The patch is left out because it is larger than a patch may be. */
  readonly tooLarge: boolean
}

/** What a diff may hold. What lies beyond is not lost: `overflow` says that there is more. */
export interface DiffLimits {
  readonly files: number
  /** Bytes of one patch. */
  readonly patchBytes: number
  /** Bytes of all patches. */
  readonly allBytes: number
}

export const standardLimits: DiffLimits = { files: 3_000, patchBytes: 204_800, allBytes: 5_242_880 }

export interface Diff {
  readonly files: FileDiff[]
  /** There are more files than the limits allow, or their patches are too large together. */
  readonly overflow: boolean
}

export interface DiffOptions {
  readonly limits?: DiffLimits
  readonly paths?: readonly string[]
  /** Ignores blanks. */
  readonly ignoreWhitespace?: boolean
}

/** The id of git's empty tree, to compare a first commit with. */
export const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904'

const OPTIONS = [
  '-r',
  '--find-renames',
  '--full-index',
  '--no-ext-diff',
  '--no-textconv',
  '--no-color',
] as const

/** How two commits or trees differ. Both are ids. */
export async function diff(
  repository: Repository,
  before: string,
  after: string,
  { limits = standardLimits, paths = [], ignoreWhitespace = false }: DiffOptions = {},
): Promise<Diff> {
  const changes = await changedFiles(repository, before, after, paths)
  const shown = changes.slice(0, limits.files)
  if (shown.length === 0) return { files: [], overflow: false }
  const blanks = ignoreWhitespace ? ['--ignore-all-space'] : []
  const args = ['diff-tree', ...OPTIONS, '--patch', ...blanks, before, after, '--', ...paths]
  const process = await repository.git.start(repository, args, { time: 30_000 })
  process.stdin.end()
  const patches: (string | undefined)[] = []
  let overflow = changes.length > shown.length
  let total = 0
  for await (const patch of patchesOf(process.stdout, limits.patchBytes)) {
    total += patch?.length ?? 0
    if (total > limits.allBytes || patches.length === shown.length) {
      overflow = true
      process.kill()
      break
    }
    patches.push(patch)
  }
  if (!overflow) await process.ended
  const files = shown.map((change, index) => {
    const patch = index < patches.length ? patches[index] : undefined
    return { ...change, patch: patch ?? '', tooLarge: patch === undefined }
  })
  return { files, overflow }
}

/** How a commit differs from its first parent, or from nothing. */
export function diffOfCommit(
  repository: Repository,
  { id, parents }: { readonly id: string; readonly parents: readonly string[] },
  options?: DiffOptions,
): Promise<Diff> {
  return diff(repository, parents[0] ?? EMPTY_TREE, id, options)
}

type Change = Omit<FileDiff, 'patch' | 'tooLarge'>

/** Which files differ, without how. */
export async function changedFiles(
  repository: Repository,
  before: string,
  after: string,
  paths: readonly string[] = [],
): Promise<Change[]> {
  const process = await repository.git.start(
    repository,
    ['diff-tree', ...OPTIONS, '--raw', '-z', before, after, '--', ...paths],
    {
      time: 30_000,
    },
  )
  process.stdin.end()
  const changes: Change[] = []
  let head: string | undefined
  let first: string | undefined
  for await (const record of records(process.stdout)) {
    const text = record.toString('utf8')
    if (head === undefined) head = text
    else if (/[RC]\d*$/.test(head) && first === undefined) first = text
    else {
      changes.push(readChange(head, first ?? text, text))
      head = undefined
      first = undefined
    }
  }
  await process.ended
  return changes
}

const statuses: Readonly<Record<string, FileDiff['status']>> = {
  A: 'added',
  D: 'deleted',
  M: 'modified',
  R: 'renamed',
  C: 'copied',
  T: 'type changed',
}

/** Reads `:100644 100644 <id> <id> R086`. */
function readChange(head: string, oldPath: string, newPath: string): Change {
  const [oldMode = '', newMode = '', oldId = '', newId = '', status = 'M'] = head.slice(1).split(' ')
  return {
    oldPath,
    newPath,
    oldMode,
    newMode,
    oldId,
    newId,
    status: statuses[status.slice(0, 1)] ?? 'modified',
  }
}

const BEGIN = Buffer.from('diff --git ')

/** The hunks of each file, in order; undefined for a file whose hunks are longer than `most`. */
async function* patchesOf(stream: AsyncIterable<Buffer>, most: number): AsyncGenerator<string | undefined> {
  let lines: Buffer[] | undefined
  let size = 0
  let inHunks = false
  const finish = () => (size > most ? undefined : Buffer.concat(lines ?? []).toString('utf8'))
  for await (const line of linesIn(stream)) {
    if (line.subarray(0, BEGIN.length).equals(BEGIN)) {
      if (lines !== undefined) yield finish()
      lines = []
      size = 0
      inHunks = false
      continue
    }
    inHunks ||= line[0] === 0x40 || line.subarray(0, 13).toString('latin1') === 'Binary files '
    if (!inHunks || lines === undefined) continue
    size += line.length
    if (size <= most) lines.push(line)
    else lines.length = 0
  }
  if (lines !== undefined) yield finish()
}

/** The longest line that is looked at whole. */
const LONGEST = 8 * 1024 * 1024

/** Lines with their line break. */
async function* linesIn(stream: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let pieces: Buffer[] = []
  let held = 0
  for await (const piece of stream) {
    let at = 0
    for (let end = piece.indexOf(0x0a); end >= 0; end = piece.indexOf(0x0a, at)) {
      const part = piece.subarray(at, end + 1)
      yield pieces.length === 0 ? part : Buffer.concat([...pieces, part])
      pieces = []
      held = 0
      at = end + 1
    }
    if (at === piece.length) continue
    held += piece.length - at
    if (held > LONGEST) throw new OutputTooLarge('a line of a diff is too long')
    pieces.push(piece.subarray(at))
  }
  if (pieces.length > 0) yield Buffer.concat(pieces)
}

export interface DiffStats {
  readonly additions: number
  readonly deletions: number
}

/** How many lines each commit adds and removes against its first parent: one process for all of them. */
export async function statsOfCommits(
  repository: Repository,
  ids: readonly string[],
): Promise<ReadonlyMap<string, DiffStats>> {
  if (ids.length === 0) return new Map()
  const args = ['diff-tree', '--stdin', '--root', '-r', '--numstat', '--first-parent', '-m', '--no-ext-diff']
  const text = await repository.git.text(repository, args, { input: ids.map((id) => `${id}\n`).join('') })
  const stats = new Map<string, { additions: number; deletions: number }>()
  let current = { additions: 0, deletions: 0 }
  for (const line of text.split('\n')) {
    if (/^[0-9a-f]{40}$/.test(line)) stats.set(line, (current = { additions: 0, deletions: 0 }))
    else if (line !== '') {
      const [added = '', removed = ''] = line.split('\t')
      // Binary files have dashes.
      current.additions += Number(added) || 0
      current.deletions += Number(removed) || 0
    }
  }
  return stats
}
