import { type Static, Type } from 'typebox'
import { orderParameters } from '#platform/http/order.ts'
import {
  flag,
  integer,
  integerOr,
  list,
  MAX_INT4,
  oneOf,
  rules,
  text,
  wordOf,
} from '#platform/http/schema.ts'
import {
  noneOrAny,
  scopes,
  sharedExcludes,
  sharedFilters,
  sharedNegatable,
  withLabelsDetails,
} from '#planning/noteables/list/filter-schemas.ts'
import { issueTypes } from './entity.ts'
import { issueOrder, projectIssueOrder } from './list-order.ts'

type Scope = (typeof scopes)[number]
const oneScope = (standard: Scope) => Type.Unsafe<Scope>({ type: 'string', enum: scopes, default: standard })

/** Filters that `not` negates. */
const negatable = {
  ...sharedNegatable,
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
    ...sharedExcludes,
    iteration_id: ['iteration_title'],
  },
})

const filters = {
  ...negatable,
  not: Type.Optional(
    Type.Object(
      {
        ...negatable,
        milestones: Type.Optional(
          list(text(), { max: 50, description: 'In none of these milestones, by title.' }),
        ),
      },
      {
        ...eitherWay,
        description: 'Negates filters. With a list, issues that match none of it.',
      },
    ),
  ),
  ...sharedFilters,
  scope: oneScope('all'),
  confidential: Type.Optional(flag()),
  issue_type: Type.Optional(oneOf(issueTypes)),
  due_date: Type.Optional(
    wordOf(
      ['0', 'any', 'today', 'tomorrow', 'overdue', 'week', 'month', 'next_month_and_previous_two_weeks', ''],
      { description: '`0` for none. A blank value filters nothing. Weeks start on Mondays.' },
    ),
  ),
  closed_by_id: Type.Optional(integer()),
  epic_id: Type.Optional(integerOr(noneOrAny, { description: 'The id of an epic; or `None`, `Any`.' })),
  health_status: Type.Optional(
    wordOf(['on_track', 'needs_attention', 'at_risk', 'none', 'any'], {
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

const displayParameters = {
  state: Type.Optional(oneOf(['opened', 'closed', 'all'], { description: '`all` by default.' })),
  ...withLabelsDetails,
}

/** For lists over the whole instance. */
const own = { scope: oneScope('created_by_me') }

export const ProjectFilter = Type.Object(
  { ...orderParameters(projectIssueOrder), ...displayParameters, ...filters },
  eitherWay,
)
export const GroupFilter = Type.Object(
  { ...orderParameters(issueOrder), ...displayParameters, ...filters, ...active },
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
