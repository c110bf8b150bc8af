import type { Feature } from '#platform/feature.ts'
import { fileRoutes } from './routes.ts'
import { fileWritingRoutes } from './write-routes.ts'

/** Files of a repository. */
export const files: Feature = {
  areas: [{ name: 'Repository files', about: 'Files of a repository.', segments: ['files'] }],
  routes: [fileRoutes, fileWritingRoutes],
}
