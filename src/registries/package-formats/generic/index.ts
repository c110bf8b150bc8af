import type { Feature } from '#platform/feature.ts'
import { genericPackageRoutes } from './routes.ts'

/** Packages of files that no package manager reads. */
export const genericPackages: Feature = { routes: [genericPackageRoutes] }
