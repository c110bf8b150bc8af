import { type Static, Type } from 'typebox'
import { entity, integer, MAX_INT4, nullable, oneOf, text } from '#platform/http/schema.ts'

/** The longest path of a file in characters. */
const MAX_FILE_PATH = 4_096

const line = (description?: string) =>
  nullable(integer({ minimum: 1, maximum: MAX_INT4, ...(description && { description }) }))
const path = (description: string) => nullable(text({ max: MAX_FILE_PATH, description }))
const sha = (description: string) => text({ max: 64, filled: true, description })
const types = ['text', 'image', 'file'] as const
const pixels = (description: string) => Type.Optional(integer({ minimum: 0, maximum: MAX_INT4, description }))

const end = Type.Object({
  line_code: Type.Optional(nullable(text({ max: 255 }))),
  type: Type.Optional(nullable(text({ max: 10, description: '`new` or `old`.' }))),
  old_line: Type.Optional(line()),
  new_line: Type.Optional(line()),
})

const image = {
  width: pixels('Of the image.'),
  height: pixels('Of the image.'),
  x: pixels('From the left.'),
  y: pixels('From the top.'),
}

/** Where a client wants a note on a diff. */
export const RequestedPosition = Type.Object({
  base_sha: sha('The commit with which the diff compares.'),
  start_sha: sha('For a commit the same as `base_sha`.'),
  head_sha: sha('The commit that has the changes.'),
  position_type: oneOf(types),
  old_path: Type.Optional(path('The path of the file before.')),
  new_path: Type.Optional(path('The path of the file afterwards.')),
  old_line: Type.Optional(line('A line before; for text.')),
  new_line: Type.Optional(line('A line afterwards; for text.')),
  line_range: Type.Optional(nullable(Type.Object({ start: end, end }))),
  ...image,
})
export type RequestedPosition = Static<typeof RequestedPosition>

const shownEnd = Type.Object({
  line_code: nullable(Type.String()),
  type: nullable(Type.String()),
  old_line: nullable(integer()),
  new_line: nullable(integer()),
})

/** Where a note on a diff stands. */
export const Position = entity('NotePosition', {
  base_sha: Type.String(),
  start_sha: Type.String(),
  head_sha: Type.String(),
  old_path: nullable(Type.String()),
  new_path: nullable(Type.String()),
  position_type: oneOf(types),
  old_line: nullable(integer()),
  new_line: nullable(integer()),
  line_range: nullable(Type.Object({ start: shownEnd, end: shownEnd })),
  ...image,
})
export type Position = Static<typeof Position>

/** A position as `note_positions` stores it. */
export interface NotePosition extends Position {
  /** The commit of a merge request that the note is about; absent when it is about all of them. */
  readonly commit_id?: string
}

/** A requested position of a file whose paths are known, with every field. */
export function positionOf(
  { line_range: range, old_line = null, new_line = null, ...requested }: RequestedPosition,
  paths: Pick<Position, 'old_path' | 'new_path'>,
): Position {
  const line_range = range ? { start: endOf(range.start), end: endOf(range.end) } : null
  return { ...requested, ...paths, old_line, new_line, line_range }
}

function endOf({ line_code = null, type = null, old_line = null, new_line = null }: Static<typeof end>) {
  return { line_code, type, old_line, new_line }
}
