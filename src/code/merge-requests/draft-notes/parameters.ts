import { Type } from 'typebox'
import { pageParameters } from '#platform/http/order.ts'
import { flag, integer, oneOf, rules, text } from '#platform/http/schema.ts'
import { RequestedPosition } from '#planning/noteables/position.ts'
import { ByMergeRequest } from '../parameters.ts'

export const Page = Type.Object(pageParameters)

export const ByDraftNote = Type.Object({
  ...ByMergeRequest.properties,
  draft_note_id: integer({ minimum: 1, description: 'The id of a draft note.' }),
})

const note = text({ max: 1_000_000, filled: true, description: 'The text. It may have quick actions.' })

export const NewDraftNote = Type.Object(
  {
    note,
    in_reply_to_discussion_id: Type.Optional(
      text({ max: 64, filled: true, description: 'The id of the discussion to which it replies.' }),
    ),
    resolve_discussion: Type.Optional(
      flag({
        description:
          'Whether publishing it resolves that discussion. Without it, publishing opens a resolved one again.',
      }),
    ),
    position: Type.Optional(RequestedPosition),
    commit_id: Type.Optional(
      text({ max: 64, filled: true, description: 'The commit on whose diff the position is.' }),
    ),
  },
  rules({
    needs: { commit_id: 'position' },
    excludes: { in_reply_to_discussion_id: ['position'] },
  }),
)

export const DraftNoteChanges = Type.Object(
  { note: Type.Optional(note), position: Type.Optional(RequestedPosition) },
  rules({ atLeastOneOf: ['note', 'position'] }),
)

export const Publication = Type.Object(
  {
    note: Type.Optional(
      text({ max: 1_000_000, filled: true, description: 'A note that sums the review up.' }),
    ),
    internal: Type.Optional(flag({ description: 'Whether that note is for members from Planner up.' })),
    reviewer_state: Type.Optional(
      oneOf(['reviewed', 'requested_changes'], {
        description:
          'How your review ends; ignored if you are no reviewer. Asking for changes takes your approval back.',
      }),
    ),
  },
  rules({ needs: { internal: 'note' } }),
)
