import type { Feature } from '#platform/feature.ts'
import { activityFeedRoutes } from './activity-routes.ts'
import { feedUrl } from './addresses.ts'
import { feedRoutes } from './routes.ts'

/** What happens, for programs that read feeds. */
export const feedPages: Feature = { pages: [feedRoutes, activityFeedRoutes], rewrites: [feedUrl] }
