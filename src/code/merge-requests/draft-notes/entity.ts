import { type Static, Type } from 'typebox'
import { entity, integer, nullable } from '#platform/http/schema.ts'
import { type NotePosition, Position } from '#planning/noteables/position.ts'

/** As GitLab has it for a draft note that is on no diff. */
const nowhere = {
  commit_id: null,
  base_sha: null,
  start_sha: null,
  head_sha: null,
  old_path: null,
  new_path: null,
  position_type: 'text',
  old_line: null,
  new_line: null,
  line_range: null,
} as const

const { base_sha, start_sha, head_sha, ...elsewhere } = Position.properties

export const DraftNote = entity('DraftNote', {
  id: integer(),
  author_id: integer(),
  merge_request_id: integer(),
  resolve_discussion: Type.Boolean(),
  discussion_id: nullable(Type.String({ description: 'The discussion to which it replies.' })),
  note: Type.String(),
  commit_id: nullable(Type.String()),
  line_code: nullable(Type.String()),
  position: entity('DraftNotePosition', {
    base_sha: nullable(base_sha),
    start_sha: nullable(start_sha),
    head_sha: nullable(head_sha),
    ...elsewhere,
  }),
})

export interface DraftNoteRow {
  readonly id: number
  readonly author_id: number
  readonly merge_request_id: number
  readonly note: string
  readonly discussion_id: Buffer | null
  readonly resolve_discussion: boolean
  readonly position: NotePosition | null
}

export function presentDraftNote({
  discussion_id,
  position: placed,
  ...row
}: DraftNoteRow): Static<typeof DraftNote> {
  const { commit_id = null, ...position } = placed ?? nowhere
  return {
    id: row.id,
    author_id: row.author_id,
    merge_request_id: row.merge_request_id,
    resolve_discussion: row.resolve_discussion,
    discussion_id: discussion_id?.toString('hex') ?? null,
    note: row.note,
    commit_id,
    line_code: null,
    position,
  }
}
