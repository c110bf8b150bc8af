import type { Feature } from '#platform/feature.ts'
import { dashboardRoutes } from './routes.ts'

/** What waits for whoever is signed in. */
export const dashboardPages: Feature = { pages: [dashboardRoutes] }
