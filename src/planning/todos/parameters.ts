import { Type } from 'typebox'
import { pageParameters } from '#platform/http/order.ts'
import { integer, oneOf } from '#platform/http/schema.ts'
import { todoStates } from './entity.ts'

/** Why something is on a list. Some have no cause yet, and match nothing. */
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

/** What a to-do can be about. So far these are issues, merge requests, epics, alerts and commits; the others match nothing. */
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
  group_id: Type.Optional(integer({ description: 'The id of a group: what is in it or below it.' })),
  state: Type.Optional(oneOf(todoStates, { description: '`pending` when absent.' })),
  type: Type.Optional(oneOf(targetTypes, { description: 'What it is about.' })),
})

/** A to-do in the path. */
export const ByTodo = Type.Object({ id: integer({ description: 'The id of the to-do.' }) })
