import type { FastifyRequest } from 'fastify'
import type { Commit } from '#code/git/commit.ts'
import { diff, EMPTY_TREE, type FileDiff } from '#code/git/diff.ts'
import type { Repository } from '#code/git/repository.ts'
import { findCommit, requestedRepository } from '#code/repositories/requested.ts'
import { invalid } from '#platform/http/errors.ts'
import type { NoteableKey } from '#planning/noteables/kind.ts'
import { type Position, positionOf, type RequestedPosition } from '#planning/noteables/position.ts'
import { type DiffLine, linesOf } from './diff-lines.ts'

/** The refusal of a position. */
export const refused = (because: string) => invalid({ position: [because] })

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
  const { base_sha, start_sha, head_sha } = requested
  const base = baseOf(commit)
  if (head_sha !== commit.id || base_sha !== base || start_sha !== base) {
    throw refused('does not belong to the diff of the commit')
  }
  return placeOnDiff(repository, requested)
}

/**
 * The same for a position whose commits are checked: it is on the diff between `base_sha` and `head_sha`.
 * @throws 400 for a file that does not differ, and for a line that the diff does not show.
 */
export async function placeOnDiff(repository: Repository, requested: RequestedPosition): Promise<Position> {
  const { base_sha, head_sha, old_path, new_path, old_line, new_line } = requested
  const file = await fileIn(repository, [base_sha, head_sha], (one) =>
    new_path ? one.newPath === new_path : one.oldPath === old_path,
  )
  if (file === undefined) throw refused('names no file of the diff')
  if (requested.position_type === 'text') {
    const line = { old: old_line ?? null, new: new_line ?? null }
    if (![...linesOf(file.patch)].some((shown) => isAt(shown, line))) {
      throw refused('names no line of the diff')
    }
  }
  return positionOf(requested, { old_path: file.oldPath, new_path: file.newPath })
}

/** Whether a line is the one of a position. Clients may give one number of an unchanged line, or both. */
function isAt(shown: DiffLine, { old, new: after }: DiffLine): boolean {
  if (old === null && after === null) return false
  return (old ?? shown.old) === shown.old && (after ?? shown.new) === shown.new
}

/** A line as older clients name it: `new` for one that was added, `old` for one that was removed. */
export interface NamedLine {
  readonly path: string
  readonly line: number
  readonly line_type: 'new' | 'old'
}

/** The position of such a line. Undefined when the diff has no such line: then the note is on the commit as a whole. */
export async function positionAt(
  repository: Repository,
  commit: Commit,
  { path, line, line_type: type }: NamedLine,
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
