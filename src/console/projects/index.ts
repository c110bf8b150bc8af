import type { Feature } from '#platform/feature.ts'
import { forkFormRoutes } from './fork-routes.ts'
import { placePages } from './routes.ts'

/** The first pages of projects, groups and people. */
export const projectPages: Feature = { pages: [placePages, forkFormRoutes] }
