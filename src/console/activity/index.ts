import type { Feature } from '#platform/feature.ts'
import { activityRoutes } from './routes.ts'

/** What people did. */
export const activityPages: Feature = { pages: [activityRoutes] }
