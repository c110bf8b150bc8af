import type { Feature } from '#platform/feature.ts'
import { exploreRoutes } from './routes.ts'

/** Projects that one may find, and one's own. */
export const explorePages: Feature = { pages: [exploreRoutes] }
