import { project, writes } from '#platform/access/route-access.ts'
import { ById } from '#platform/http/schema.ts'
import { ByMergeRequest } from '../parameters.ts'
import {
  ApprovalRuleChanges,
  ByOwnRule,
  ByRule,
  NewApprovalRule,
  NewOwnRule,
  OwnRuleChanges,
} from './parameters.ts'
import { ApprovalRule, OwnApprovalRule } from './rule-entity.ts'
import { approvalRules as tier } from './tier.ts'

/** What the routes for the rules of a project say. */
export const ofProject = {
  of: 'project',
  collection: '/projects/:id/approval_rules',
  params: ById,
  ruleParams: ByRule,
  Rule: ApprovalRule,
  NewRule: NewApprovalRule,
  Changes: ApprovalRuleChanges,
  writing: writes(project('admin_approval_rule'), { tier }),
  listing: {},
  adding: {
    description:
      'The server ignores users who may not read the code, and groups that you cannot see. A rule that names nobody is ' +
      'an `any_approver` rule unless you say otherwise.',
  },
  changing: {},
} as const

/** What those for the rules that count for a merge request say. Its own ones stand in for those of the project. */
export const ofMergeRequest = {
  of: 'merge request',
  collection: '/projects/:id/merge_requests/:merge_request_iid/approval_rules',
  params: ByMergeRequest,
  ruleParams: ByOwnRule,
  Rule: OwnApprovalRule,
  NewRule: NewOwnRule,
  Changes: OwnRuleChanges,
  writing: writes(project('admin_merge_request'), { tier }),
  listing: {
    description: 'Those of the project that are about its target branch, unless it has rules of its own.',
  },
  adding: {
    description:
      'From the first one on, the rules of the project do not count for it, but it needs as many approvals as they demand. ' +
      'A rule that demands fewer is refused.',
  },
  changing: {
    description:
      'Rules of the project are changed there. Fewer approvals than the project demands are refused.',
  },
} as const
