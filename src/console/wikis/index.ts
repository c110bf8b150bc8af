import type { Feature } from '#platform/feature.ts'
import { wikiFormRoutes } from './form-routes.ts'
import { wikiPageRoutes } from './routes.ts'

/** The wikis of projects and groups. */
export const wikiPages: Feature = { pages: [wikiPageRoutes, wikiFormRoutes] }
