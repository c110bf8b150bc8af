import type { Feature } from '#platform/feature.ts'
import { badgeUrl } from './paths.ts'
import { badgeRoutes } from './routes.ts'

/** Pictures that tell how pipelines went. */
export const pipelineBadges: Feature = { pages: [badgeRoutes], rewrites: [badgeUrl] }
