import type { Feature } from '#platform/feature.ts'
import { furtherRights } from '#platform/access/further-rights.ts'
import { referenceRules } from '#code/repositories/rules.ts'
import { associationCounts, userCounts } from '#identity/users/extension-points.ts'
import { closingCounts } from '#planning/issues/extension-points.ts'
import { labelCounts } from '#planning/labels/extension-points.ts'
import { mergeRequestAbilities } from './abilities.ts'
import {
  assignedMergeRequestsCount,
  authoredMergeRequestsCount,
  mergeRequestLabelCount,
  reviewsCount,
} from './counts.ts'
import { auditedMergeRequest, mergeRequestFacts } from './facts.ts'
import { collaboration } from './collaboration/collaboration.ts'
import { collaborationRule } from './collaboration/collaboration-rule.ts'
import { checkMergeability } from './merge/check-mergeability.ts'
import { mergeRule } from './merge/merge-rule.ts'
import { rebaseMergeRequest } from './merge/rebase.ts'
import { removeSourceLater } from './merge/remove-source.ts'
import { mergingRoutes } from './merge/routes.ts'
import { closingCount } from './issues/closings.ts'
import { mergeRequestIssueRoutes } from './issues/routes.ts'
import { commitMergeRequestRoutes } from './of-commits/routes.ts'
import { mergeRequestKind } from './kind.ts'
import { mergeRequestListRoutes } from './list/routes.ts'
import { milestoneMergeRequestRoutes } from './milestone-routes.ts'
import { reviewerRoutes } from './reviewer-routes.ts'
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
  routes: [
    mergeRequestRoutes,
    mergeRequestListRoutes,
    mergingRoutes,
    reviewerRoutes,
    mergeRequestIssueRoutes,
    milestoneMergeRequestRoutes,
    commitMergeRequestRoutes,
    ...mergeRequestKind.routes,
  ],
  abilities: mergeRequestAbilities,
  facts: mergeRequestFacts,
  audited: auditedMergeRequest,
  extensions: [
    ...mergeRequestKind.extensions,
    referenceRules.with(mergeRule),
    referenceRules.with(collaborationRule),
    furtherRights.with(collaboration),
    closingCounts.with(closingCount),
    labelCounts.with(mergeRequestLabelCount),
    userCounts.with(assignedMergeRequestsCount),
    userCounts.with(reviewsCount),
    associationCounts.with(authoredMergeRequestsCount),
  ],
  tasks: [checkMergeability, rebaseMergeRequest, removeSourceLater],
}
