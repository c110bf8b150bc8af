import type { Feature } from '#platform/feature.ts'
import { epicFormRoutes } from './form-routes.ts'
import { epicPageRoutes } from './routes.ts'

/** The epics of groups. */
export const epicPages: Feature = { pages: [epicPageRoutes, epicFormRoutes] }
