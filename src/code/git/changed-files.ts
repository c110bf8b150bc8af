import { GitTimeout, TooMuchForGit } from './errors.ts'
import type { Repository } from './repository.ts'
import { records } from './tree.ts'

/** Which file differs, without how. */
export interface ChangedFile {
  readonly oldPath: string
  readonly newPath: string
  /** Six octal digits; `000000` where there is no file. */
  readonly oldMode: string
  readonly newMode: string
  readonly oldId: string
  readonly newId: string
  readonly status: 'added' | 'deleted' | 'modified' | 'renamed' | 'copied' | 'type changed'
}

/** The id of git's empty tree, to compare a first commit with. */
export const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904'

/** How trees are compared everywhere; whether renames are found comes after it. */
export const COMPARING = ['-r', '--full-index', '--no-ext-diff', '--no-textconv', '--no-color'] as const
const FIND_RENAMES = '--find-renames'
export const NO_RENAMES = '--no-renames'

/** The same with renames, as far as the limit of the configuration lets git look for them. */
export const OPTIONS = [...COMPARING, FIND_RENAMES] as const

/** Milliseconds that git may look for renames: without them, each is a file that goes and one that comes. */
const SEARCH = 8_000
/** Milliseconds that git may take to compare the folders alone. */
const TIME = 30_000
/** Changed files that one caller keeps. */
const MAX_KEPT_FILES = 100_000

export interface ListOptions {
  readonly paths?: readonly string[]
  /** How many changes are kept, from the first one. */
  readonly keep: number
  /** How far they are counted; by default to the end. */
  readonly count?: number
}

export interface ListedChanges {
  readonly changes: readonly ChangedFile[]
  readonly total: number
  /** The option of git that says whether renames were found, for whoever asks again. */
  readonly renames: typeof FIND_RENAMES | typeof NO_RENAMES
}

/** Which files differ, without how: the first of them, and how many they are. */
export async function listChanges(
  repository: Repository,
  before: string,
  after: string,
  options: ListOptions,
): Promise<ListedChanges> {
  const compared = [before, after, '--', ...(options.paths ?? [])]
  try {
    return {
      ...(await list(repository, [FIND_RENAMES, ...compared], SEARCH, options)),
      renames: FIND_RENAMES,
    }
  } catch (error) {
    if (!(error instanceof GitTimeout)) throw error
    return listWithoutRenames(repository, before, after, options)
  }
}

/** The same, where each rename is a file that goes and one that comes. */
export async function listWithoutRenames(
  repository: Repository,
  before: string,
  after: string,
  options: ListOptions,
): Promise<ListedChanges> {
  const compared = [NO_RENAMES, before, after, '--', ...(options.paths ?? [])]
  return { ...(await list(repository, compared, TIME, options)), renames: NO_RENAMES }
}

/** The same for callers who want all. @throws {TooMuchForGit} for more than 100,000 */
export async function changedFiles(
  repository: Repository,
  before: string,
  after: string,
): Promise<readonly ChangedFile[]> {
  const { changes, total } = await listChanges(repository, before, after, {
    keep: MAX_KEPT_FILES,
    count: MAX_KEPT_FILES + 1,
  })
  if (total <= MAX_KEPT_FILES) return changes
  throw new TooMuchForGit(new Error(`too many files differ between ${before} and ${after}`))
}

async function list(
  repository: Repository,
  compared: readonly string[],
  time: number,
  { keep, count = Infinity }: ListOptions,
): Promise<Pick<ListedChanges, 'changes' | 'total'>> {
  const process = await repository.git.start(
    repository,
    ['diff-tree', ...COMPARING, '--raw', '-z', ...compared],
    { time },
  )
  process.stdin.end()
  const changes: ChangedFile[] = []
  let total = 0
  let head: Buffer | undefined
  let first: Buffer | undefined
  for await (const record of records(process.output())) {
    if (head === undefined) head = record
    else if (first === undefined && hasTwoPaths(head)) first = record
    else {
      if (changes.length < keep) changes.push(readChange(head, first ?? record, record))
      total += 1
      if (total >= count) break
      head = undefined
      first = undefined
    }
  }
  return { changes, total }
}

/** Whether a change is a rename or a copy: `… R086`. The letter comes after two modes and two ids. */
const hasTwoPaths = (head: Buffer): boolean => {
  const letter = head[head.lastIndexOf(0x20) + 1]
  return letter === 0x52 || letter === 0x43
}

const statuses: Readonly<Record<string, ChangedFile['status']>> = {
  A: 'added',
  D: 'deleted',
  M: 'modified',
  R: 'renamed',
  C: 'copied',
  T: 'type changed',
}

/** Reads `:100644 100644 <id> <id> R086`. */
function readChange(head: Buffer, oldPath: Buffer, newPath: Buffer): ChangedFile {
  const [oldMode = '', newMode = '', oldId = '', newId = '', status = 'M'] = head
    .toString('latin1', 1)
    .split(' ')
  return {
    oldPath: oldPath.toString('utf8'),
    newPath: newPath.toString('utf8'),
    oldMode,
    newMode,
    oldId,
    newId,
    status: statuses[status.slice(0, 1)] ?? 'modified',
  }
}
