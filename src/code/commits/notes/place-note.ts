import type { FastifyRequest } from 'fastify'
import type { Commit } from '#code/git/commit.ts'
import { diff, EMPTY_TREE, type FileDiff } from '#code/git/diff.ts'
import { objectInfo } from '#code/git/objects.ts'
import type { Repository } from '#code/git/repository.ts'
import { findCommit, requestedRepository } from '#code/repositories/requested.ts'
import { invalid, known, refusal } from '#platform/refusals.ts'
import type { NoteableKey } from '#planning/noteables/kind.ts'
import { type Position, positionOf, type RequestedPosition } from '#planning/noteables/position.ts'
import { linesOf } from './diff-lines.ts'
import { type DiffRefs, isFileOf, tracePosition } from './trace-position.ts'

/** The refusal of a position. */
const invalidPosition = (because: string) => invalid({ position: [because] })

/** The same where clients know the text: some send the note without a position then. */
const onNoLine = (because: string) => refusal(known('no-line'), `position ${because}`)

/** What a commit is compared with. */
const baseOf = ({ parents }: Commit): string => parents[0] ?? EMPTY_TREE

/**
 * Checks the position of a note on the diff of a commit.
 * @throws 400 for one of another diff, of a file that does not differ, or of a line that the diff does not show.
 */
export async function placeNote(
  req: FastifyRequest,
  { key }: { readonly key: NoteableKey },
  requested: RequestedPosition,
): Promise<Position> {
  const { repository, commit } = await findCommit(await requestedRepository(req), String(key))
  return placeOnCommit(repository, commit, requested)
}

/** The same for a commit that is found. */
export function placeOnCommit(
  repository: Repository,
  commit: Commit,
  requested: RequestedPosition,
): Promise<Position> {
  const base = baseOf(commit)
  return placeOnDiff(repository, { base_sha: base, start_sha: base, head_sha: commit.id }, requested)
}

/**
 * The same for the diff between `base_sha` and `head_sha` of `refs`. Tools compare the tips of branches themselves, and so
 * name other commits: their position becomes the one of this diff, where it shows the line, and else stays on their diff.
 * @throws 400 for commits that are not there, a file that does not differ, and a line that the diff does not show.
 */
export async function placeOnDiff(
  repository: Repository,
  refs: DiffRefs,
  requested: RequestedPosition,
): Promise<Position> {
  const { base_sha, start_sha, head_sha } = requested
  if (base_sha === refs.base_sha && start_sha === refs.start_sha && head_sha === refs.head_sha) {
    return placeWhereAsked(repository, requested)
  }
  const commits = [base_sha, start_sha, head_sha].filter((id) => id !== EMPTY_TREE)
  const are = await Promise.all(commits.map((id) => isCommit(repository, id)))
  if (are.includes(false)) throw invalidPosition('names a commit that the repository does not have')
  return (await tracePosition(repository, refs, requested)) ?? (await placeWhereAsked(repository, requested))
}

const isCommit = async (repository: Repository, id: string): Promise<boolean> =>
  /^[0-9a-f]{40}$/.test(id) && (await objectInfo(repository, id))?.type === 'commit'

/** Places a note on the diff that a position names. */
async function placeWhereAsked(repository: Repository, requested: RequestedPosition): Promise<Position> {
  const { base_sha, head_sha, old_line = null, new_line = null } = requested
  const isText = requested.position_type === 'text'
  const file = await fileIn(repository, [base_sha, head_sha], isFileOf(requested))
  if (file === undefined) throw (isText ? onNoLine : invalidPosition)('names no file of the diff')
  if (isText) {
    const lines = [...linesOf(file.patch)]
    if (!lines.some((line) => line.old === old_line && line.new === new_line)) {
      const unchanged = lines.filter((line) => line.old !== null && line.new !== null)
      const isOne = unchanged.some((line) => line.old === old_line || line.new === new_line)
      throw onNoLine(isOne ? BOTH : 'names no line of the diff')
    }
  }
  return positionOf(requested, { old_path: file.oldPath, new_path: file.newPath })
}

const BOTH = 'needs both old_line and new_line for an unchanged line'

/** A line as older clients name it: `new` for one that was added, `old` for one that was removed. */
export interface DiffLine {
  readonly path: string
  readonly line: number
  readonly line_type: 'new' | 'old'
}

/** The position of such a line. Undefined when the diff has no such line: then the note is on the commit as a whole. */
export async function positionAt(
  repository: Repository,
  commit: Commit,
  { path, line, line_type: type }: DiffLine,
): Promise<Position | undefined> {
  const base_sha = baseOf(commit)
  const file = await fileIn(repository, [base_sha, commit.id], ({ newPath }) => newPath === path)
  const other = type === 'new' ? 'old' : 'new'
  const found = [...linesOf(file?.patch ?? '')].find((one) => one[type] === line && one[other] === null)
  if (file === undefined || found === undefined) return undefined
  const commits = { base_sha, start_sha: base_sha, head_sha: commit.id }
  const asked = {
    ...commits,
    position_type: 'text' as const,
    old_line: found.old,
    new_line: found.new,
    line_range: null,
  }
  return positionOf(asked, { old_path: file.oldPath, new_path: file.newPath })
}

/** A file of the diff, as far as the API shows it. */
async function fileIn(
  repository: Repository,
  [before, after]: readonly [string, string],
  isIt: (file: FileDiff) => boolean,
): Promise<FileDiff | undefined> {
  return (await diff(repository, before, after)).files.find(isIt)
}
