import type { Feature } from '#platform/feature.ts'
import { tagRoutes } from './routes.ts'

/** Tags of repositories. */
export const tags: Feature = {
  areas: [{ name: 'Tags', about: 'Tags of a repository.', segments: ['tags'] }],
  routes: [tagRoutes],
}
