import type { Feature } from '#platform/feature.ts'
import { diffRoutes } from './routes.ts'
import { versionRoutes } from './version-routes.ts'

/** What merge requests change. */
export const mergeRequestDiffs: Feature = { routes: [diffRoutes, versionRoutes] }
