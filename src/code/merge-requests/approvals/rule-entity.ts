import { type Static, Type } from 'typebox'
import { presentUserBasic, UserBasic } from '#identity/users/basic.ts'
import { flat } from '#platform/http/flat.ts'
import { entity, integer, nullable, oneOf } from '#platform/http/schema.ts'
import { presentProtectedBranch, ProtectedBranch } from '#code/protected-branches/entity.ts'
import type { ProtectedReference } from '#code/protected-references/rows.ts'
import type { CountedRule, RuleGroup, RuleRow } from './rules.ts'

const people = () => Type.Array(UserBasic)

const RuleGroupEntity = entity('ApprovalRuleGroup', {
  id: integer(),
  name: Type.String(),
  path: Type.String(),
  full_path: Type.String(),
  visibility: Type.String(),
  web_url: Type.String(),
})

const shared = {
  id: integer(),
  name: Type.String(),
  rule_type: oneOf(['any_approver', 'regular']),
  report_type: Type.Unsafe<null>({ type: 'null' }),
  eligible_approvers: people(),
  approvals_required: integer(),
  users: people(),
  groups: Type.Array(RuleGroupEntity),
  contains_hidden_groups: Type.Boolean(),
}

/** A rule of a project. */
export const ApprovalRule = entity('ApprovalRule', {
  ...shared,
  protected_branches: Type.Array(ProtectedBranch),
  applies_to_all_protected_branches: Type.Boolean(),
})

/** A rule that counts for a merge request. */
export const OwnApprovalRule = entity('MergeRequestApprovalRule', {
  ...shared,
  section: Type.Unsafe<null>({ type: 'null' }),
  source_rule: nullable(Type.Object({ approvals_required: integer() })),
  overridden: Type.Boolean({ description: 'Whether it differs from the rule of the project.' }),
})

/** The same with who has approved as it demands. */
export const CountedApprovalRule = entity('ApprovalStateRule', {
  ...OwnApprovalRule.properties,
  code_owner: Type.Boolean({ description: 'Always false: there are no code owners.' }),
  approved_by: people(),
  approved: Type.Boolean(),
})

function presentShared(row: RuleRow, site: string) {
  const present = (all: RuleRow['users']) => all.map((user) => presentUserBasic(user, site))
  const group = (one: RuleGroup) => ({ ...one, web_url: flat`${site}/groups/${one.full_path}` })
  return {
    id: row.id,
    name: row.name,
    rule_type: row.rule_type,
    report_type: null,
    eligible_approvers: present(row.eligible),
    approvals_required: row.approvals_required,
    users: present(row.users),
    groups: row.groups.map(group),
    contains_hidden_groups: row.has_hidden_groups,
  }
}

/** @param branches all protected branches of the project that some rule names. */
export const presentRule = (
  row: RuleRow,
  branches: readonly ProtectedReference[],
  site: string,
): Static<typeof ApprovalRule> => ({
  ...presentShared(row, site),
  protected_branches: branches.filter(({ id }) => row.branch_ids.includes(id)).map(presentProtectedBranch),
  applies_to_all_protected_branches: row.applies_to_all_protected_branches,
})

export const presentOwnRule = (row: RuleRow, site: string): Static<typeof OwnApprovalRule> => ({
  ...presentShared(row, site),
  section: null,
  source_rule: row.source_requires === null ? null : { approvals_required: row.source_requires },
  overridden: row.source_requires !== null && row.source_requires !== row.approvals_required,
})

export const isMet = ({ approved_by, demanded }: CountedRule): boolean => approved_by.length >= demanded

export const presentCountedRule = (row: CountedRule, site: string): Static<typeof CountedApprovalRule> => ({
  ...presentOwnRule(row, site),
  code_owner: false,
  approved_by: row.approved_by.map((user) => presentUserBasic(user, site)),
  approved: isMet(row),
})
