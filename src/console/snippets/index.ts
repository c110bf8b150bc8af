import type { Feature } from '#platform/feature.ts'
import { snippetFormRoutes } from './form-routes.ts'
import { snippetPageRoutes } from './routes.ts'

/** The snippets of projects and people. */
export const snippetPages: Feature = { pages: [snippetPageRoutes, snippetFormRoutes] }
