import type { Feature } from '#platform/feature.ts'
import { approvalRulePages } from './approval-rule-routes.ts'
import { mergeRequestFormRoutes } from './form-routes.ts'
import { mergeRequestRoutes } from './routes.ts'

/** Merge requests of a project. */
export const mergeRequestPages: Feature = {
  pages: [mergeRequestRoutes, mergeRequestFormRoutes, approvalRulePages],
}
