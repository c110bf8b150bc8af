import type { Feature } from '#platform/feature.ts'
import { lintRoutes } from './routes.ts'

/** Checks of CI configurations. */
export const ciLint: Feature = {
  areas: [
    {
      name: 'CI configuration',
      about: 'Checks of CI configurations without running them.',
      segments: ['lint'],
    },
  ],
  routes: [lintRoutes],
}
