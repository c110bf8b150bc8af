import type { Feature } from '#platform/feature.ts'
import { environmentFormRoutes } from './form-routes.ts'
import { environmentPageRoutes } from './routes.ts'

/** Where a project is deployed to. */
export const environmentPages: Feature = { pages: [environmentPageRoutes, environmentFormRoutes] }
