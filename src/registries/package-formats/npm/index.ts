import type { Feature } from '#platform/feature.ts'
import { npmUrl } from './paths.ts'
import { npmRoutes } from './routes.ts'

/** Packages of npm, for its clients. */
export const npmPackages: Feature = { routes: [npmRoutes], rewrites: [npmUrl] }
