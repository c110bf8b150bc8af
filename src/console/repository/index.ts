import type { Feature } from '#platform/feature.ts'
import { fileFormRoutes } from './file-form-routes.ts'
import { referenceFormRoutes } from './reference-form-routes.ts'
import { repositoryRoutes } from './routes.ts'

/** Files and commits of a project. */
export const repositoryPages: Feature = { pages: [repositoryRoutes, referenceFormRoutes, fileFormRoutes] }
