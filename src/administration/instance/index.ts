import type { Feature } from '#platform/feature.ts'
import { healthRoutes } from './health.ts'
import { instanceRoutes } from './routes.ts'

/** The instance itself: version, statistics and health. */
export const instance: Feature = {
  areas: [
    {
      name: 'Instance',
      about: 'Version and statistics of the instance.',
      segments: ['version', 'metadata', 'application'],
    },
  ],
  routes: [instanceRoutes],
  pages: [healthRoutes],
}
