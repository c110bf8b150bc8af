import type { Feature } from '#platform/feature.ts'
import { protectedTagRoutes } from './routes.ts'

/** Tags that not everybody may create. */
export const protectedTags: Feature = {
  areas: [
    { name: 'Protected tags', about: 'Tags that not everybody may create.', segments: ['protected_tags'] },
  ],
  routes: [protectedTagRoutes],
}
