import type { Feature } from '#platform/feature.ts'
import { issueFormRoutes } from './form-routes.ts'
import { issueRoutes } from './routes.ts'

/** Issues of a project. */
export const issuePages: Feature = { pages: [issueRoutes, issueFormRoutes] }
