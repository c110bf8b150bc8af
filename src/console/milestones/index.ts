import type { Feature } from '#platform/feature.ts'
import { milestonePageRoutes } from './routes.ts'

/** The milestones and labels of projects and groups. */
export const milestonePages: Feature = { pages: [milestonePageRoutes] }
