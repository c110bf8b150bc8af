import type { Feature } from '#platform/feature.ts'
import { epicPageRoutes } from './routes.ts'

/** The epics of groups. */
export const epicPages: Feature = { pages: [epicPageRoutes] }
