import { type Static, Type } from 'typebox'
import { orderParameters } from '#platform/http/order.ts'
import { flag, integer, integerOr, list, moment, oneOf, rules, text } from '#platform/http/schema.ts'
import {
  names,
  noneOrAny,
  scopes as sharedScopes,
  sharedExcludes,
  sharedFilters,
  sharedNegatable,
  withLabelsDetails,
} from '#planning/noteables/list/filter-schemas.ts'
import { MAX_NAME } from '#code/repositories/limits.ts'
import { mergeRequestStates } from '../entity.ts'
import { mergeRequestOrder } from './order.ts'

const scopes = [...sharedScopes, 'reviews_for_me'] as const
type Scope = (typeof scopes)[number]
const oneScope = (standard: Scope) => Type.Unsafe<Scope>({ type: 'string', enum: scopes, default: standard })

const username = (description: string) => Type.Optional(text({ max: 255, description }))
const branch = (description: string) => Type.Optional(text({ max: MAX_NAME, description }))

/** Filters that `not` negates. */
const negatable = {
  ...sharedNegatable,
  reviewer_id: Type.Optional(
    integerOr(noneOrAny, { description: 'Reviewed by this user; 0 or `None` for nobody.' }),
  ),
  reviewer_username: username('Reviewed by the user of that name.'),
}

const excludes = { ...sharedExcludes, reviewer_id: ['reviewer_username'] }

const YesOrNo = oneOf(['yes', 'no'])

const everybody = (description: string) =>
  Type.Optional(list(integerOr(noneOrAny), { max: 50, comma: true, description }))

const filters = {
  ...negatable,
  not: Type.Optional(
    Type.Object(negatable, {
      ...rules({ excludes }),
      description: 'Negates filters. With a list, merge requests that match none of it.',
    }),
  ),
  ...sharedFilters,
  state: Type.Optional(oneOf([...mergeRequestStates, 'all'], { description: '`all` by default.' })),
  scope: oneScope('all'),
  source_branch: branch('The branch that has the changes.'),
  source_project_id: Type.Optional(integer()),
  target_branch: branch('The branch that is to get them.'),
  wip: Type.Optional({ ...YesOrNo, description: '`yes` for drafts, `no` for the others.' }),
  approved: Type.Optional({
    ...YesOrNo,
    description: 'Whether somebody has approved it, and it has all approvals that it takes.',
  }),
  approved_by_ids: everybody('Approved by all of these users; or `None`, `Any`.'),
  approved_by_usernames: names('Approved by all of these users.'),
  approver_ids: everybody(
    'Whose approval rules name all of these users; or `None` for no such user, `Any` for at least one.',
  ),
  merge_user_id: Type.Optional(integer({ description: 'Merged by this user.' })),
  merge_user_username: username('Merged by the user of that name.'),
  deployed_before: Type.Optional(moment({ description: 'Deployed before this moment.' })),
  deployed_after: Type.Optional(moment({ description: 'Deployed after this moment.' })),
  environment: Type.Optional(text({ max: 255, description: 'Deployed to the environment of this name.' })),
}

const displayParameters = {
  ...withLabelsDetails,
  view: Type.Optional(oneOf(['simple'], { description: 'Fewer fields.' })),
  with_merge_status_recheck: Type.Optional(
    flag({ description: 'Asks for a new check of those whose `merge_status` is stale.' }),
  ),
}

/** For lists over several projects. */
const active = {
  non_archived: Type.Boolean({
    default: true,
    description: 'Whether to leave out the merge requests of archived projects.',
  }),
}

const either = rules({
  excludes: {
    ...excludes,
    merge_user_id: ['merge_user_username'],
    approved_by_ids: ['approved_by_usernames'],
  },
})

export const ProjectFilter = Type.Object(
  { ...orderParameters(mergeRequestOrder), ...displayParameters, ...filters },
  either,
)
export const GroupFilter = Type.Object({ ...ProjectFilter.properties, ...active }, either)
export const InstanceFilter = Type.Object(
  { ...GroupFilter.properties, scope: oneScope('created_by_me') },
  either,
)

/** The filters of a list of merge requests. */
export type Filter = Partial<Omit<Static<typeof GroupFilter>, 'page' | 'per_page'>>
export type NegatableFilter = NonNullable<Filter['not']>
