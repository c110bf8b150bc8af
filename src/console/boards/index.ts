import type { Feature } from '#platform/feature.ts'
import { boardPages as routes } from './routes.ts'

/** Boards of projects and groups. */
export const boardPages: Feature = { pages: [routes] }
