import { type Static, Type } from 'typebox'
import { orderParameters } from '#platform/http/order.ts'
import {
  flag,
  integer,
  integerOr,
  list,
  MAX_INT4,
  moment,
  oneOf,
  rules,
  text,
} from '#platform/http/schema.ts'
import { issueTypes } from './entity.ts'
import { issueOrder, projectIssueOrder } from './list-order.ts'

const noneOrAny = ['None', 'Any'] as const
const names = (description: string) => Type.Optional(list(text(), { max: 50, comma: true, description }))

/** Clients use both spellings. */
const scopes = ['all', 'created_by_me', 'assigned_to_me', 'created-by-me', 'assigned-to-me'] as const
type Scope = (typeof scopes)[number]
const oneScope = (standard: Scope) => Type.Unsafe<Scope>({ type: 'string', enum: scopes, default: standard })

/** Filters that `not` negates. */
const negatable = {
  labels: names('Issues with all of these labels, by name; or `None`, `Any`.'),
  milestone: Type.Optional(
    text({ max: 255, description: 'By title; or `None`, `Any`, `Upcoming` (due later), `Started`.' }),
  ),
  milestone_id: Type.Optional(oneOf(['None', 'Any', 'Upcoming', 'Started'])),
  iids: Type.Optional(list(integer(), { comma: true, description: 'Numbers in their project.' })),
  author_id: Type.Optional(integer()),
  author_username: Type.Optional(text({ max: 255 })),
  assignee_id: Type.Optional(integerOr(noneOrAny, { description: 'A user; 0 or `None` for nobody.' })),
  assignee_username: names('Assigned to all of them.'),
  my_reaction_emoji: Type.Optional(
    text({ max: 255, description: 'An emoji with which you reacted; or `None`, `Any`.' }),
  ),
  weight: Type.Optional(integerOr(noneOrAny, { minimum: 0, maximum: MAX_INT4 })),
  iteration_id: Type.Optional(
    integerOr([...noneOrAny, 'Current'], {
      description: 'There are no iterations yet: only `None` matches.',
    }),
  ),
  iteration_title: Type.Optional(text({ description: 'There are no iterations yet: nothing matches.' })),
}

/** Filters of which only one may be given. */
const eitherWay = rules({
  excludes: {
    author_id: ['author_username'],
    assignee_id: ['assignee_username'],
    milestone_id: ['milestone'],
    iteration_id: ['iteration_title'],
  },
})

const filters = {
  ...negatable,
  not: Type.Optional(
    Type.Object(negatable, {
      ...eitherWay,
      description: 'Negates filters. With a list, issues that match none of it.',
    }),
  ),
  search: Type.Optional(
    text({
      max: 1024,
      description: 'Words, or their beginnings, that must all be in the title or description.',
    }),
  ),
  in: Type.Optional(
    list(oneOf(['title', 'description']), {
      comma: true,
      description: 'Where to search; in both by default.',
    }),
  ),
  scope: oneScope('all'),
  confidential: Type.Optional(flag()),
  issue_type: Type.Optional(oneOf(issueTypes)),
  created_after: Type.Optional(moment()),
  created_before: Type.Optional(moment()),
  updated_after: Type.Optional(moment()),
  updated_before: Type.Optional(moment()),
  due_date: Type.Optional(
    oneOf(
      ['0', 'any', 'today', 'tomorrow', 'overdue', 'week', 'month', 'next_month_and_previous_two_weeks', ''],
      { description: '`0` for none. A blank value filters nothing. Weeks start on Mondays.' },
    ),
  ),
  closed_by_id: Type.Optional(integer()),
  epic_id: Type.Optional(integerOr(noneOrAny, { description: 'The id of an epic; or `None`, `Any`.' })),
  health_status: Type.Optional(
    oneOf(['on_track', 'needs_attention', 'at_risk', 'none', 'any'], {
      description: 'There is no health status yet: only `none` matches.',
    }),
  ),
}

/** For lists over several projects. */
const active = {
  non_archived: Type.Boolean({
    default: true,
    description: 'Whether to leave out the issues of archived projects.',
  }),
}

const shown = {
  state: Type.Optional(oneOf(['opened', 'closed', 'all'], { description: '`all` by default.' })),
  with_labels_details: Type.Boolean({ default: false, description: 'Labels with all their fields.' }),
}

/** For lists over the whole instance. */
const own = { scope: oneScope('created_by_me') }

export const ProjectFilter = Type.Object(
  { ...orderParameters(projectIssueOrder), ...shown, ...filters },
  eitherWay,
)
export const GroupFilter = Type.Object(
  { ...orderParameters(issueOrder), ...shown, ...filters, ...active },
  eitherWay,
)
export const InstanceFilter = Type.Object({ ...GroupFilter.properties, ...own }, eitherWay)

export const ProjectStatisticsFilter = Type.Object(filters, eitherWay)
export const GroupStatisticsFilter = Type.Object({ ...filters, ...active }, eitherWay)
export const InstanceStatisticsFilter = Type.Object({ ...filters, ...active, ...own }, eitherWay)

/** The filters of a list of issues. */
export type Filter = Partial<Static<typeof GroupStatisticsFilter>> &
  Partial<Pick<Static<typeof GroupFilter>, 'state'>>
export type NegatableFilter = NonNullable<Filter['not']>
