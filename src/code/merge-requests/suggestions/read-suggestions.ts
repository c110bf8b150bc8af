import type { Suggesting } from '#planning/noteables/suggesting.ts'
import type { NotePosition } from '#planning/noteables/position.ts'
import { tipOf } from '../branches.ts'
import { comparedIn } from '../diffs/changes.ts'
import { findMergeRequest } from '../queries.ts'
import { type SuggestionBlock, suggestionBlocks } from './blocks.ts'
import { type FileLines, linesOfFile, withEndsOf } from './file-lines.ts'
import { followLines } from './follow-lines.ts'
import { MAX_FROM_BYTES } from './limits.ts'

/** What a text suggests for the line on which it stands. Where nothing can be suggested, such as for a removed line, text stays text. */
export const readSuggestions: Suggesting['read'] = async (req, { key }, body, standsAt) => {
  const blocks = suggestionBlocks(body)
  const place = blocks.length === 0 ? undefined : placeOf(await standsAt())
  if (place === undefined) return []
  const repository = await comparedIn(req)
  const lines = await linesOfFile(repository, place.at_sha, place.path)
  if (lines === undefined || place.line > lines.count) return []
  const { db, services } = req.server
  const { head_sha, source_project_id, source_branch } = await findMergeRequest(
    db,
    req.viewer,
    req.project(),
    Number(key),
  )
  const source =
    source_project_id === null ? undefined : await services.repositories.ofProject(source_project_id)
  const branch_gone = (await tipOf(source, source_branch)) === undefined
  const standing = fitting(blocks.map((block) => standingAt(place, lines, block)))
  return (await followLines(repository, head_sha, standing)).map((one) => ({ ...one, branch_gone }))
}

interface PlaceInFile {
  readonly path: string
  readonly at_sha: string
  readonly line: number
}

function placeOf(position: NotePosition | null | undefined): PlaceInFile | undefined {
  if (!position || position.position_type !== 'text') return undefined
  const { new_path: path, new_line: line, head_sha: at_sha } = position
  return path === null || line === null ? undefined : { path, line, at_sha }
}

function standingAt(
  { path, at_sha, line }: PlaceInFile,
  lines: FileLines,
  { above, below, text }: SuggestionBlock,
) {
  const from_line = Math.max(1, line - above)
  const to_line = Math.min(lines.count, line + below)
  const from_content = lines.between(from_line, to_line)
  return { path, at_sha, from_line, to_line, from_content, to_content: withEndsOf(from_content, text) }
}

/** The first ones, as far as the lines that they replace are not too long together. */
function fitting<One extends { readonly from_content: string }>(all: readonly One[]): One[] {
  let bytes = 0
  return all.filter(({ from_content }) => (bytes += Buffer.byteLength(from_content)) <= MAX_FROM_BYTES)
}
