import { Type } from 'typebox'
import { refusedParameter } from '#platform/http/later.ts'
import {
  count,
  day,
  emptiable,
  flag,
  integer,
  MAX_INT4,
  moment,
  nullable,
  oneOf,
  rules,
  text,
} from '#platform/http/schema.ts'
import { issueTypes } from './entity.ts'

const nameList = (description: string) =>
  Type.Optional(emptiable(text({ max: 255 }), { description: `${description} With commas, or a list.` }))

const changes = {
  title: text({ max: 255, filled: true }),
  description: Type.Optional(nullable(text({ max: 1_048_576 }))),
  issue_type: Type.Optional(oneOf(issueTypes)),
  assignee_ids: Type.Optional(emptiable(integer(), { description: 'All assignees; 0 or blank for nobody.' })),
  assignee_id: Type.Optional(nullable(integer({ description: 'The older form for one; 0 for nobody.' }))),
  milestone_id: Type.Optional(nullable(integer({ description: '0 or blank for none.' }))),
  labels: nameList('All labels, by name. The server creates unknown ones.'),
  add_labels: nameList('Labels to add.'),
  remove_labels: nameList('Labels to remove.'),
  due_date: Type.Optional(nullable(day())),
  confidential: Type.Optional(flag()),
  discussion_locked: Type.Optional(flag({ description: 'Whether only members can comment.' })),
  weight: Type.Optional(nullable(count())),
}

const noMergeRequests = 'there are no merge requests yet'

/** Parameters that need subsystems which do not exist yet. An id of 0 means none, which is allowed. */
export const unsupportedParameters = {
  merge_request_to_resolve_discussions_of: noMergeRequests,
  discussion_to_resolve: noMergeRequests,
} as const

const epics = {
  epic_id: Type.Optional(
    nullable(integer({ minimum: 0, description: 'The id of its epic; 0 or blank for none. Needs Premium.' })),
  ),
  epic_iid: Type.Optional(
    nullable(
      integer({
        minimum: 0,
        maximum: MAX_INT4,
        deprecated: true,
        description: 'The older form: the number of the epic in the group of the project.',
      }),
    ),
  ),
}

const entitled = 'Only from owners and administrators. From others, the server ignores it.'

export const NewIssue = Type.Object({
  ...changes,
  ...epics,
  created_at: Type.Optional(moment({ description: entitled })),
  iid: Type.Optional(integer({ minimum: 1, maximum: MAX_INT4, description: entitled })),
  merge_request_to_resolve_discussions_of: Type.Optional(integer(refusedParameter(noMergeRequests))),
  discussion_to_resolve: Type.Optional(text(refusedParameter(noMergeRequests))),
})

const { title, ...optional } = changes
const allChanges = {
  title: Type.Optional(title),
  state_event: Type.Optional(oneOf(['close', 'reopen'])),
  ...optional,
}

export const IssueChanges = Type.Object(
  { ...allChanges, ...epics, updated_at: Type.Optional(moment({ description: entitled })) },
  rules({ atLeastOneOf: [...Object.keys(allChanges), ...Object.keys(epics)] }),
)
