import { type Static, Type } from 'typebox'
import { day, entity, integer, nullable, oneOf } from '#platform/http/schema.ts'

const ids = () => Type.Optional(Type.Array(integer()))

/** What the commands of a note changed; absent fields did not change. */
export const CommandsChanges = entity('CommandsChanges', {
  title: Type.Optional(Type.String()),
  state_event: Type.Optional(oneOf(['close', 'reopen'])),
  assignee_ids: ids(),
  label_ids: ids(),
  add_label_ids: ids(),
  remove_label_ids: ids(),
  milestone_id: Type.Optional(nullable(integer())),
  due_date: Type.Optional(nullable(day())),
  confidential: Type.Optional(Type.Boolean()),
  discussion_locked: Type.Optional(Type.Boolean()),
  weight: Type.Optional(nullable(integer())),
  epic_id: Type.Optional(nullable(integer({ description: 'The epic of the issue.' }))),
  parent_id: Type.Optional(nullable(integer({ description: 'The epic above the epic.' }))),
  add_child_epic_ids: ids(),
  remove_child_epic_ids: ids(),
  merge: Type.Optional(Type.String({ description: 'The commit that is merged.' })),
  rebase: Type.Optional(Type.Boolean()),
  target_branch: Type.Optional(Type.String()),
  issue_links: Type.Optional(
    Type.Array(
      Type.Object({ issue_id: integer(), link_type: oneOf(['relates_to', 'blocks', 'is_blocked_by']) }),
    ),
  ),
  canonical_issue_id: Type.Optional(integer({ description: 'The issue that this one repeats.' })),
  target_project_id: Type.Optional(integer({ description: 'The project to which the issue was moved.' })),
  target_clone_project_id: Type.Optional(
    integer({ description: 'The project into which the issue was cloned.' }),
  ),
  clone_with_notes: Type.Optional(Type.Boolean()),
  review: Type.Optional(oneOf(['approved', 'unapproved', 'reviewed', 'requested_changes'])),
  time_estimate: Type.Optional(integer({ description: 'In seconds; 0 for none.' })),
  spend_time: Type.Optional(
    Type.Object({
      duration: Type.Union([integer(), Type.Literal('reset')], {
        description: 'In seconds; `reset` removes all spent time.',
      }),
      spent_at: nullable(day()),
    }),
  ),
  emoji_award: Type.Optional(Type.Array(Type.String())),
  reviewer_ids: ids(),
  todo_event: Type.Optional(oneOf(['add', 'done'])),
  subscription_event: Type.Optional(oneOf(['subscribe', 'unsubscribe'])),
})

export type CommandsChanges = Static<typeof CommandsChanges>
