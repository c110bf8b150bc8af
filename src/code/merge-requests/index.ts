import type { Feature } from '#platform/feature.ts'
import { referenceRules } from '#code/repositories/rules.ts'
import { noteable } from '#planning/noteables/kinds.ts'
import { mergeRequestAbilities } from './abilities.ts'
import { auditedMergeRequest, mergeRequestFacts } from './facts.ts'
import { checkMergeability } from './merge/check-mergeability.ts'
import { mergeRule } from './merge/merge-rule.ts'
import { rebaseMergeRequest } from './merge/rebase.ts'
import { mergingRoutes } from './merge/routes.ts'
import { mergeRequestNoteable } from './noteable.ts'
import { mergeRequestRoutes } from './routes.ts'

/** Merge requests: changes of one branch that another one is to get. */
export const mergeRequests: Feature = {
  areas: [
    {
      name: 'Merge requests',
      about: 'Changes of one branch that another one is to get.',
      segments: ['merge_requests'],
    },
  ],
  routes: [mergeRequestRoutes, mergingRoutes],
  abilities: mergeRequestAbilities,
  facts: mergeRequestFacts,
  audited: auditedMergeRequest,
  extensions: [noteable(mergeRequestNoteable), referenceRules.with(mergeRule)],
  tasks: [checkMergeability, rebaseMergeRequest],
}
