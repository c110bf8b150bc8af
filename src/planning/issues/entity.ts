import { Type } from 'typebox'
import { day, entity, integer, moment, nullable, oneOf } from '#platform/http/schema.ts'
import { LabelDetail } from '#planning/labels/entity.ts'
import { Milestone } from '#planning/milestones/entity.ts'
import { UserBasic } from '#identity/users/basic.ts'

export const issueTypes = ['issue', 'incident', 'test_case', 'requirement', 'task', 'ticket'] as const

export const TimeStats = entity('TimeStats', {
  time_estimate: integer(),
  total_time_spent: integer(),
  human_time_estimate: nullable(Type.String()),
  human_total_time_spent: nullable(Type.String()),
})

/** The reference to something: within its project, relative to the container in the request, and from anywhere. */
export const References = Type.Object({
  short: Type.String(),
  relative: Type.String(),
  full: Type.String(),
})

export const TaskCompletionStatus = Type.Object({ count: integer(), completed_count: integer() })

/** The epic of an issue. */
export const EpicOfIssue = entity('EpicOfIssue', {
  id: integer(),
  iid: integer(),
  title: Type.String(),
  url: Type.String(),
  group_id: integer(),
  human_readable_end_date: nullable(Type.String()),
  human_readable_timestamp: nullable(Type.String()),
})

/** Fields of iterations and health, which do not exist yet. */
const none = { type: 'null' } as const

/** An issue as the API presents it. */
export const Issue = entity('Issue', {
  id: integer(),
  iid: integer(),
  project_id: integer(),
  title: Type.String(),
  description: nullable(Type.String()),
  state: oneOf(['opened', 'closed']),
  created_at: moment(),
  updated_at: moment(),
  closed_at: nullable(moment()),
  closed_by: nullable(UserBasic),
  labels: Type.Unsafe<string[] | LabelDetailOnWire[]>({
    type: 'array',
    description: 'Names, sorted; with `with_labels_details`, the labels.',
    items: { anyOf: [{ type: 'string' }, LabelDetail] },
  }),
  milestone: nullable(Milestone),
  assignees: Type.Array(UserBasic),
  author: UserBasic,
  type: Type.String({ description: 'The `issue_type` in upper case.' }),
  assignee: nullable(UserBasic),
  user_notes_count: integer(),
  merge_requests_count: integer(),
  upvotes: integer(),
  downvotes: integer(),
  due_date: nullable(day()),
  confidential: Type.Boolean(),
  discussion_locked: nullable(Type.Boolean()),
  issue_type: oneOf(issueTypes),
  web_url: Type.String(),
  time_stats: TimeStats,
  task_completion_status: TaskCompletionStatus,
  weight: nullable(integer()),
  blocking_issues_count: integer(),
  has_tasks: Type.Boolean(),
  task_status: Type.Optional(Type.String()),
  _links: Type.Object({
    self: Type.String(),
    notes: Type.String(),
    award_emoji: Type.String(),
    project: Type.String(),
    closed_as_duplicate_of: nullable(Type.String()),
  }),
  references: References,
  severity: Type.String(),
  moved_to_id: nullable(integer()),
  imported: Type.Boolean(),
  imported_from: Type.String(),
  service_desk_reply_to: nullable(Type.String()),
  epic_iid: nullable(integer({ deprecated: true })),
  epic: nullable(EpicOfIssue),
  iteration: Type.Unsafe<null>(none),
  health_status: Type.Unsafe<null>(none),
})

/** One issue on its own, with whether the caller is subscribed. */
export const IssueSingle = entity('IssueSingle', { ...Issue.properties, subscribed: Type.Boolean() })

type LabelDetailOnWire = Type.Static<typeof LabelDetail>
