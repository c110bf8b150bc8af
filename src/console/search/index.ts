import type { Feature } from '#platform/feature.ts'
import { searchPageRoutes } from './routes.ts'

/** Searches of the instance and of a project. */
export const searchPages: Feature = { pages: [searchPageRoutes] }
