import type { Feature } from '#platform/feature.ts'
import { gitRoutes } from './routes.ts'

/** Git over HTTP: clone, fetch and push. */
export const gitHttp: Feature = { pages: [gitRoutes] }
