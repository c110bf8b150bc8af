import { Type } from 'typebox'
import { pageParameters } from '#platform/http/order.ts'
import { flag, text } from '#platform/http/schema.ts'
import type { NoteableKind } from '#planning/noteables/kind.ts'
import { byNoteable, noteId } from '#planning/noteables/paths.ts'

const discussion_id = text({ description: 'The id of a discussion: 40 hexadecimal digits.' })

export const DiscussionPages = Type.Object({
  ...pageParameters,
  with_reactions: flag({
    default: false,
    description: 'Adds `reactions` to each note. GitLab has no such parameter.',
  }),
  on_diff: flag({
    default: false,
    description: 'Only those on a diff: of its lines, files and images. GitLab has no such parameter.',
  }),
})
export const byDiscussion = (kind: NoteableKind) => byNoteable(kind, { discussion_id })
export const byNoteInDiscussion = (kind: NoteableKind) => byNoteable(kind, { discussion_id, note_id: noteId })
