import type { Feature } from '#platform/feature.ts'
import { goRoutes } from './routes.ts'

/** Modules of Go, from the tags of projects. */
export const goModules: Feature = { routes: [goRoutes] }
