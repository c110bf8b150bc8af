import { Type } from 'typebox'
import { pageParameters } from '#platform/http/order.ts'
import { ById, integer, MAX_INT4, oneOf } from '#platform/http/schema.ts'
import { todoStates } from './entity.ts'

/** Why something is on a list. Forgelet only makes `marked` so far; the others match nothing. */
const actions = [
  'assigned',
  'mentioned',
  'build_failed',
  'marked',
  'approval_required',
  'unmergeable',
  'directly_addressed',
  'merge_train_removed',
  'member_access_requested',
  'review_requested',
  'review_submitted',
  'added_approver',
  'okr_checkin_requested',
  'ssh_key_expired',
  'ssh_key_expiring_soon',
] as const

/** What a to-do can be about. Forgelet only has to-dos about issues so far; the others match nothing. */
const targetTypes = [
  'Issue',
  'MergeRequest',
  'Epic',
  'WorkItem',
  'Commit',
  'DesignManagement::Design',
  'AlertManagement::Alert',
  'WikiPage::Meta',
  'Project',
  'Namespace',
  'Vulnerability',
  'Key',
] as const

/** The parameters of the list of to-dos. */
export const TodoFilter = Type.Object({
  ...pageParameters,
  action: Type.Optional(oneOf(actions, { description: 'Why it is on the list.' })),
  author_id: Type.Optional(integer({ description: 'The id of the user who put it there.' })),
  project_id: Type.Optional(integer({ description: 'The id of the project that it is about.' })),
  group_id: Type.Optional(integer({ description: 'The id of a group: projects in it or below it.' })),
  state: Type.Optional(oneOf(todoStates, { description: '`pending` when absent.' })),
  type: Type.Optional(oneOf(targetTypes, { description: 'What it is about.' })),
})

/** The issue in the path, which goes on the list. */
export const ByTarget = Type.Object({
  ...ById.properties,
  issue_iid: integer({
    minimum: 1,
    maximum: MAX_INT4,
    description: 'The number of the issue in its project.',
  }),
})

/** A to-do in the path. */
export const ByTodo = Type.Object({ id: integer({ description: 'The id of the to-do.' }) })
