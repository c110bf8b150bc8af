import type { Feature } from '#platform/feature.ts'
import { recordSteps } from '#code/repositories/record-changes.ts'
import { referenceRules } from '#code/repositories/rules.ts'
import { protectionAbilities } from './abilities.ts'
import { auditedProtection, protectionFacts } from './facts.ts'
import { protectDefaultBranch } from './protect-default.ts'
import { protectionRule } from './rule.ts'

/** Who may change branches and tags that are protected. The routes are in protected-branches and protected-tags. */
export const protectedReferences: Feature = {
  abilities: protectionAbilities,
  facts: protectionFacts,
  audited: auditedProtection,
  extensions: [referenceRules.with(protectionRule), recordSteps.with(protectDefaultBranch)],
}
