import { type Static, Type } from 'typebox'
import { titleOf } from '#code/protected-references/entity.ts'
import { levels } from '#platform/access/roles.ts'
import { entity, integer, nullable } from '#platform/http/schema.ts'
import type { Grant, ProtectedEnvironmentRow } from './rows.ts'

/** What answers show as the level of a user or group that may deploy. */
export const LEVEL_BESIDE_NAMED = levels.maintainer

const accessLevel = {
  description: 'The lowest level: 30 for Developers, 40 for Maintainers, 60 for administrators.',
}

const grantee = {
  id: integer(),
  access_level_description: Type.String({
    description: 'The level in words, or the name of the user or group.',
  }),
  user_id: nullable(integer()),
  group_id: nullable(integer()),
}

const inheritance = integer({
  description:
    'Which members of the group count: 0 for its own, 1 also for those of groups above and invited ones.',
})

/** Those who may deploy. */
export const DeployAccessLevel = entity('DeployAccessLevel', {
  ...grantee,
  access_level: integer({
    description: `${accessLevel.description} Beside a user or group it is ${LEVEL_BESIDE_NAMED}, and means nothing.`,
  }),
  group_inheritance_type: inheritance,
})

/** Those who must approve, and how many of them. */
export const EnvironmentApprovalRule = entity('EnvironmentApprovalRule', {
  ...grantee,
  access_level: nullable(integer(accessLevel)),
  required_approvals: integer(),
  group_inheritance_type: inheritance,
})

export const ProtectedEnvironment = entity('ProtectedEnvironment', {
  name: Type.String({ description: 'The environment of a project; in a group the tier.' }),
  deploy_access_levels: Type.Array(DeployAccessLevel),
  required_approval_count: integer({
    description: 'How many of those who may deploy must approve, where there are no approval rules.',
  }),
  approval_rules: Type.Array(EnvironmentApprovalRule),
})

/** Whom a grant means, in words; rules about approvals are compared with it. */
export const descriptionOf = (grant: Pick<Grant, 'access_level' | 'name'>): string => titleOf(grant)

function presentGrantee(grant: Grant) {
  const { id, user_id, group_id } = grant
  return { id, access_level_description: descriptionOf(grant), user_id, group_id }
}

export function presentProtected(row: ProtectedEnvironmentRow): Static<typeof ProtectedEnvironment> {
  const { name, required_approval_count, grants } = row
  return {
    name,
    deploy_access_levels: grants
      .filter(({ purpose }) => purpose === 'deploy')
      .map((grant) => ({
        ...presentGrantee(grant),
        access_level: grant.access_level ?? LEVEL_BESIDE_NAMED,
        group_inheritance_type: grant.group_inheritance_type,
      })),
    required_approval_count,
    approval_rules: grants
      .filter(({ purpose }) => purpose === 'approve')
      .map((grant) => ({
        ...presentGrantee(grant),
        access_level: grant.access_level,
        required_approvals: grant.required_approvals ?? 1,
        group_inheritance_type: grant.group_inheritance_type,
      })),
  }
}

/** Those who may deploy, or must approve, in words for the audit. */
export function inWords(grants: readonly Grant[], purpose: Grant['purpose']): string {
  return grants
    .filter((grant) => grant.purpose === purpose)
    .map((grant) => {
      const who = `${descriptionOf(grant)}${grant.group_inheritance_type === 1 ? ' (with inherited members)' : ''}`
      return grant.required_approvals === null ? who : `${grant.required_approvals} of ${who}`
    })
    .join(', ')
}
