import { Type } from 'typebox'
import { pageParameters } from '#platform/http/order.ts'
import { ById, flag, integer, list, oneOf, oneOfNumbers, text } from '#platform/http/schema.ts'
import { tiers } from '../environments/tier.ts'
import { MOST_GRANTS } from './wishes.ts'

/** The most approvals that one rule, or all together, may require. */
const MOST_APPROVALS = 100

export const ByProtectedEnvironment = Type.Object({
  ...ById.properties,
  name: text({ description: 'The URL-encoded name of the environment; in a group the tier.' }),
})

export const ProtectedEnvironmentPage = Type.Object(pageParameters)

const grantee = {
  access_level: Type.Optional(
    oneOfNumbers([30, 40, 60], {
      description: 'The lowest level: 30 for Developers, 40 for Maintainers, 60 for administrators.',
    }),
  ),
  user_id: Type.Optional(
    integer({
      minimum: 1,
      description:
        'A user: in a group one of its Maintainers or above, in a project one of its Reporters or above.',
    }),
  ),
  group_id: Type.Optional(
    integer({
      minimum: 1,
      description: 'A group: in a group one below it, in a project one above it or invited to it.',
    }),
  ),
  group_inheritance_type: Type.Optional(
    oneOfNumbers([0, 1], {
      description:
        'Which members of the group count: 0 (the default) for its own, 1 also for those of groups above and invited ones.',
    }),
  ),
}
const approver = {
  ...grantee,
  required_approvals: Type.Optional(
    integer({
      minimum: 1,
      maximum: MOST_APPROVALS,
      description: 'How many of them must approve; 1 unless said.',
    }),
  ),
}
const one = 'Each element has exactly one of `access_level`, `user_id` and `group_id`.'
const change = {
  id: Type.Optional(integer({ description: 'One that is there, to change or remove it.' })),
  _destroy: Type.Optional(flag({ description: 'Removes the one with this `id`.' })),
}
const changing =
  'Elements with an `id` change or remove what is there; those without one are added, unless they are there.'

const required_approval_count = Type.Optional(
  integer({
    minimum: 0,
    maximum: MOST_APPROVALS,
    description: 'How many of those who may deploy must approve, where there are no approval rules.',
  }),
)

const settings = {
  deploy_access_levels: list(Type.Object(grantee), {
    max: MOST_GRANTS,
    description: `Who may deploy. ${one}`,
  }),
  required_approval_count,
  approval_rules: Type.Optional(
    list(Type.Object(approver), { max: MOST_GRANTS, description: `Who must approve. ${one}` }),
  ),
}

export const NewProtectedEnvironment = {
  project: Type.Object({
    name: text({ filled: true, description: 'The name of the environment.' }),
    ...settings,
  }),
  group: Type.Object({ name: oneOf(tiers, { description: 'The tier.' }), ...settings }),
}

export const ProtectedEnvironmentChanges = Type.Object({
  deploy_access_levels: Type.Optional(
    list(Type.Object({ ...change, ...grantee }), {
      max: 2 * MOST_GRANTS,
      description: `Who may deploy. ${changing}`,
    }),
  ),
  required_approval_count,
  approval_rules: Type.Optional(
    list(Type.Object({ ...change, ...approver }), {
      max: 2 * MOST_GRANTS,
      description: `Who must approve. ${changing}`,
    }),
  ),
})
