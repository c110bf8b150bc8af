import { Type } from 'typebox'
import { pageParameters } from '#platform/http/order.ts'
import { ById, flag, integer, list, oneOf, rules, text } from '#platform/http/schema.ts'
import { ByMergeRequest } from '../parameters.ts'

export const Page = Type.Object(pageParameters)

const approvals = (description: string) => integer({ minimum: 0, maximum: 100, description })

const settings = {
  approvals_before_merge: Type.Optional(
    integer({
      minimum: 0,
      maximum: 100,
      deprecated: true,
      description: 'The older way to set how many approvals of anybody a merge request needs.',
    }),
  ),
  reset_approvals_on_push: Type.Optional(flag({ description: 'Whether a push takes all approvals back.' })),
  selective_code_owner_removals: Type.Optional(flag({ description: 'Kept: there are no code owners.' })),
  disable_overriding_approvers_per_merge_request: Type.Optional(
    flag({ description: 'Whether the rules of the project count for every merge request.' }),
  ),
  merge_requests_author_approval: Type.Optional(flag({ description: 'Whether authors may approve.' })),
  merge_requests_disable_committers_approval: Type.Optional(
    flag({ description: 'Whether those who committed may not approve.' }),
  ),
  require_password_to_approve: Type.Optional(
    flag({
      deprecated: true,
      description: 'The older name of `require_reauthentication_to_approve`, which takes precedence.',
    }),
  ),
  require_reauthentication_to_approve: Type.Optional(
    flag({ description: 'Whether approving takes the password.' }),
  ),
}

export const ApprovalSettingsChanges = Type.Object(settings, rules({ atLeastOneOf: Object.keys(settings) }))

const ids = (description: string) =>
  Type.Optional(list(integer({ minimum: 1 }), { comma: true, description }))

const people = {
  user_ids: ids('Who can approve.'),
  usernames: Type.Optional(list(text({ max: 255 }), { comma: true, description: 'The same by name.' })),
  group_ids: ids('Groups whose members can approve.'),
}

const ofProjects = {
  protected_branch_ids: ids('The protected branches that it is about; by default all branches.'),
  applies_to_all_protected_branches: Type.Optional(flag({ description: 'Whether it is about all of them.' })),
}

const name = text({ max: 255, filled: true })
const needed = {
  name,
  approvals_required: approvals('How many approvals it takes.'),
}
const changed = {
  name: Type.Optional(name),
  approvals_required: Type.Optional(needed.approvals_required),
  ...people,
  remove_hidden_groups: Type.Optional(flag({ description: 'Removes groups that you cannot see.' })),
}

const rule_type = Type.Optional(
  oneOf(['any_approver', 'regular'], {
    description:
      '`any_approver` counts the approvals of everybody; the default for a rule that names nobody.',
  }),
)

export const NewApprovalRule = Type.Object({
  ...needed,
  rule_type,
  ...people,
  ...ofProjects,
})

export const ApprovalRuleChanges = Type.Object({ ...changed, ...ofProjects })

export const NewOwnRule = Type.Object({
  ...needed,
  rule_type,
  approval_project_rule_id: Type.Optional(
    integer({ minimum: 1, description: 'A rule of the project to copy, with its name, users and groups.' }),
  ),
  ...people,
})

export const OwnRuleChanges = Type.Object(changed)

const rule_id = integer({ minimum: 1, description: 'The id of a rule.' })
export const ByRule = Type.Object({ ...ById.properties, approval_rule_id: rule_id })
export const ByOwnRule = Type.Object({ ...ByMergeRequest.properties, approval_rule_id: rule_id })

export const NewApproval = Type.Object({
  sha: Type.Optional(text({ max: 64, description: 'The commit that you have seen: the tip of the source.' })),
  approval_password: Type.Optional(
    text({ max: 1_000, description: 'Your password, where the project demands it.' }),
  ),
})

export const RequiredApprovals = Type.Object({ approvals_required: approvals('Of anybody.') })
