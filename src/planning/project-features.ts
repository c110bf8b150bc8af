import type { Rule } from '#platform/access/access-context.ts'
import { inAnyProjectFeature } from '#platform/access/project-feature-rules.ts'
import type { ProjectFeature } from '#platform/access/project-features.ts'

/** The project features that labels and milestones belong to. */
export const planningFeatures = ['issues', 'merge_requests'] as const satisfies ProjectFeature[]

/** A rule for labels and milestones: they are open when one of those project features is. */
export const inPlanningFeatures = (rule: Rule): Rule => inAnyProjectFeature(planningFeatures, rule)
