import type { Feature } from '#platform/feature.ts'
import { knownTexts } from '#platform/known-texts.ts'
import { recordSteps } from '#code/repositories/record-changes.ts'
import { approvalAbilities } from './abilities.ts'
import { approvalFacts, auditedApprovals } from './facts.ts'
import { resetOnPush } from './reset.ts'
import { approvalRoutes } from './routes.ts'
import { approvalRuleRoutes } from './rule-routes.ts'
import { approvalSettingsRoutes } from './settings-routes.ts'

/** Approvals of merge requests, and the rules for how many a merge needs. */
export const approvals: Feature = {
  areas: [
    {
      name: 'Approvals',
      about: 'Approvals of merge requests, and how many a merge needs.',
      segments: ['approvals', 'approval_rules'],
    },
  ],
  routes: [approvalRoutes, approvalSettingsRoutes, approvalRuleRoutes],
  abilities: approvalAbilities,
  unique: {
    approval_rules_project_name: { attribute: 'name' },
    approval_rules_own_name: { attribute: 'name' },
    approval_rules_any: { attribute: 'rule_type', text: knownTexts['any-approver-exists'] },
    approval_rules_own_any: {
      attribute: 'rule_type',
      text: knownTexts['own-any-approver-exists'],
    },
  },
  facts: approvalFacts,
  audited: auditedApprovals,
  extensions: [recordSteps.with(resetOnPush)],
}
