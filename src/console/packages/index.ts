import type { Feature } from '#platform/feature.ts'
import { packagePageRoutes } from './routes.ts'

/** Packages and images, and how to install them. */
export const packagePages: Feature = { pages: [packagePageRoutes] }
