import type { Feature } from '#platform/feature.ts'
import { milestoneFormRoutes } from './form-routes.ts'
import { milestonePageRoutes } from './routes.ts'

/** The milestones and labels of projects and groups. */
export const milestonePages: Feature = { pages: [milestonePageRoutes, milestoneFormRoutes] }
