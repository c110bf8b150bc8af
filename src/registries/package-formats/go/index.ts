import type { Feature } from '#platform/feature.ts'
import { goUrl } from './paths.ts'
import { goRoutes } from './routes.ts'

/** Modules of Go, from the tags of projects. */
export const goModules: Feature = { routes: [goRoutes], rewrites: [goUrl] }
