import type { Feature } from '#platform/feature.ts'
import { referenceRoutes } from './reference-routes.ts'
import { repositoryRoutes } from './routes.ts'

/** Files and commits of a project. */
export const repositoryPages: Feature = { pages: [repositoryRoutes, referenceRoutes] }
