import { diff, type FileDiff } from '#code/git/diff.ts'
import type { Repository } from '#code/git/repository.ts'
import { type Position, positionOf, type RequestedPosition } from '#planning/noteables/position.ts'
import { type DiffLine, lineAfter, linesOf } from './diff-lines.ts'

/** The commits of a diff. */
export type DiffRefs = Pick<Position, 'base_sha' | 'start_sha' | 'head_sha'>

/**
 * Finds what a position on another diff means on this one: its line may have another number here, and a line that is added
 * there may be an unchanged one here. Renames between the two are not followed.
 * @returns undefined when this diff does not show the line.
 */
export async function tracePosition(
  repository: Repository,
  refs: DiffRefs,
  requested: RequestedPosition,
): Promise<Position | undefined> {
  const { files } = await diff(repository, refs.base_sha, refs.head_sha)
  const file = files.find(isFileOf(requested))
  if (file === undefined) return undefined
  const paths = { old_path: file.oldPath, new_path: file.newPath }
  if (requested.position_type !== 'text') {
    const moved = await changeOf(repository, requested.head_sha, refs.head_sha, file.newPath)
    return moved === undefined ? positionOf({ ...requested, ...refs }, paths) : undefined
  }
  const line = await lineOn(repository, { file, refs }, requested)
  return line && positionOf({ ...requested, ...refs, old_line: line.old, new_line: line.new }, paths)
}

/** Whether a position is on a file of a diff. */
export const isFileOf =
  ({ old_path, new_path }: RequestedPosition) =>
  (file: FileDiff): boolean =>
    new_path ? file.newPath === new_path : file.oldPath === old_path

async function lineOn(
  repository: Repository,
  { file, refs }: { readonly file: FileDiff; readonly refs: DiffRefs },
  requested: RequestedPosition,
): Promise<DiffLine | undefined> {
  const { old_line, new_line, base_sha, head_sha } = requested
  const old = old_line && (await moved(repository, [base_sha, refs.base_sha], file.oldPath, old_line))
  const young = new_line && (await moved(repository, [head_sha, refs.head_sha], file.newPath, new_line))
  const isIt = (line: DiffLine) => {
    if (!new_line) return line.old === old && line.new === null
    return line.new === young && (!old_line || line.old === null || line.old === old)
  }
  return (new_line ? young : old) ? [...linesOf(file.patch)].find(isIt) : undefined
}

/** The number that a line of a file has in another commit. Null when it is not there, or nobody can tell. */
async function moved(
  repository: Repository,
  [from, to]: readonly [string, string],
  path: string,
  line: number,
): Promise<number | null> {
  const change = await changeOf(repository, from, to, path)
  if (change === undefined) return line
  if (change.status === 'added' || change.tooLarge || change.collapsed) return null
  return lineAfter(change.patch, line)
}

/** How a file differs between two commits. Undefined when it does not. */
async function changeOf(
  repository: Repository,
  from: string,
  to: string,
  path: string,
): Promise<FileDiff | undefined> {
  if (from === to) return undefined
  const { files } = await diff(repository, from, to, { paths: [path] })
  return files.find(({ oldPath }) => oldPath === path)
}
