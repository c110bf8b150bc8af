import { type Static, Type } from 'typebox'
import { UserBasic } from '#identity/users/basic.ts'
import { entity, integer, moment, nullable } from '#platform/http/schema.ts'
import { iso } from '#platform/http/time.ts'
import { type NoteRow, presentAuthorBasic } from '#planning/notes/entity.ts'

/** A note on a commit, in the older form. */
export const CommitComment = entity('CommitComment', {
  note: Type.String(),
  path: nullable(Type.String({ description: 'The file, for a comment on a line of the diff.' })),
  line: nullable(integer()),
  line_type: nullable(Type.String({ description: '`new`, or `old` for a line that was removed.' })),
  author: UserBasic,
  created_at: moment(),
})

export function presentComment(row: NoteRow, site: string): Static<typeof CommitComment> {
  const { old_path = null, new_path = null, old_line = null, new_line = null } = row.position ?? {}
  const isChanged = (old_line === null) !== (new_line === null)
  return {
    note: row.body,
    path: new_path ?? old_path,
    line: new_line ?? old_line,
    line_type: isChanged ? (new_line === null ? 'old' : 'new') : null,
    author: presentAuthorBasic(row, site),
    created_at: iso(row.created_at),
  }
}
