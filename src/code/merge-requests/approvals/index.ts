import type { Feature } from '#platform/feature.ts'
import { recordSteps } from '#code/repositories/record-changes.ts'
import { approvalAbilities } from './abilities.ts'
import { approvalFacts, auditedApprovals } from './facts.ts'
import { ownRuleRoutes } from './own-rule-routes.ts'
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
  routes: [approvalRoutes, approvalSettingsRoutes, approvalRuleRoutes, ownRuleRoutes],
  abilities: approvalAbilities,
  facts: approvalFacts,
  audited: auditedApprovals,
  extensions: [recordSteps.with(resetOnPush)],
}
