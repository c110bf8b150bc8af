import type { Feature } from '#platform/feature.ts'
import { accessTokenAbilities } from './abilities.ts'
import { resourceTokenRoutes } from './routes.ts'
import { resourceSelfTokenRoutes } from './self-routes.ts'

/** Access tokens of projects and groups. */
export const accessTokens: Feature = {
  routes: [resourceTokenRoutes, resourceSelfTokenRoutes],
  abilities: accessTokenAbilities,
}
