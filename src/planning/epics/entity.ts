import { type Static, Type } from 'typebox'
import { day, entity, integer, moment, nullable, oneOf } from '#platform/http/schema.ts'
import { UserBasic } from '#identity/users/basic.ts'
import { Issue, References } from '#planning/issues/entity.ts'
import { LabelDetail } from '#planning/labels/entity.ts'

const old = { deprecated: true } as const
const editors = { description: 'Only for those who may change the epic.' }

/** Fields that only those who may change the epic see. */
const editable = {
  start_date_is_fixed: Type.Optional(Type.Boolean(editors)),
  start_date_fixed: Type.Optional(nullable(day(editors))),
  start_date_from_inherited_source: Type.Optional(nullable(day(editors))),
  start_date_from_milestones: Type.Optional(nullable(Type.String({ format: 'date', ...old }))),
  due_date_is_fixed: Type.Optional(Type.Boolean(editors)),
  due_date_fixed: Type.Optional(nullable(day(editors))),
  due_date_from_inherited_source: Type.Optional(nullable(day(editors))),
  due_date_from_milestones: Type.Optional(nullable(Type.String({ format: 'date', ...old }))),
}

/** An epic as the API presents it. */
export const Epic = entity('Epic', {
  id: integer(),
  work_item_id: integer({ description: 'The same as `id`.' }),
  iid: integer(),
  group_id: integer(),
  parent_id: nullable(integer()),
  parent_iid: nullable(integer()),
  title: Type.String(),
  description: nullable(Type.String()),
  confidential: Type.Boolean(),
  author: UserBasic,
  state: oneOf(['opened', 'closed']),
  web_url: Type.String(),
  reference: Type.String(old),
  references: References,
  start_date: nullable(day()),
  end_date: nullable(Type.String({ format: 'date', ...old })),
  due_date: nullable(day()),
  created_at: moment(),
  updated_at: moment(),
  closed_at: nullable(moment()),
  labels: Type.Unsafe<string[] | Static<typeof LabelDetail>[]>({
    type: 'array',
    description: 'Names, sorted; with `with_labels_details`, the labels.',
    items: { anyOf: [{ type: 'string' }, LabelDetail] },
  }),
  upvotes: integer(),
  downvotes: integer(),
  color: Type.String(),
  text_color: Type.String(),
  imported: Type.Boolean(),
  imported_from: Type.String(),
  _links: Type.Object({
    self: Type.String(),
    epic_issues: Type.String(),
    group: Type.String(),
    parent: nullable(Type.String()),
  }),
  ...editable,
})

/** One epic on its own, with whether the caller is subscribed. */
export const EpicSingle = entity('EpicSingle', { ...Epic.properties, subscribed: Type.Boolean() })

/** An issue of an epic. */
export const EpicIssue = entity('EpicIssue', {
  ...Issue.properties,
  epic_issue_id: integer({ description: 'The id of the issue in the epic: paths name it.' }),
  relative_position: integer(),
})

/** That an issue belongs to an epic. */
export const EpicIssueLink = entity('EpicIssueLink', {
  id: integer(),
  relative_position: integer(),
  epic: Epic,
  issue: Issue,
})

/** An epic that is linked with another one. */
export const RelatedEpic = entity('RelatedEpic', {
  ...Epic.properties,
  related_epic_link_id: integer(),
  link_type: oneOf(['relates_to', 'blocks', 'is_blocked_by'], {
    description: 'What the requested epic is to this one.',
  }),
  link_created_at: moment(),
  link_updated_at: moment(),
})

/** A link between two epics. */
export const EpicLink = entity('EpicLink', {
  id: integer(),
  source_epic: Epic,
  target_epic: Epic,
  link_type: oneOf(['relates_to', 'blocks']),
  created_at: moment(),
  updated_at: moment(),
})
