import type { Feature } from '#platform/feature.ts'
import { helpRoutes } from './routes.ts'

/** The guides, as this version has them. */
export const helpPages: Feature = { pages: [helpRoutes] }
