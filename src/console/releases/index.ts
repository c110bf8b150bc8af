import type { Feature } from '#platform/feature.ts'
import { releaseFormRoutes } from './form-routes.ts'
import { releasePageRoutes } from './routes.ts'

/** What was released, and where to get it. */
export const releasePages: Feature = { pages: [releasePageRoutes, releaseFormRoutes] }
