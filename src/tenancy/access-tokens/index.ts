import type { Feature } from '#platform/feature.ts'
import { accessTokenAbilities } from './abilities.ts'
import { placeTokenRoutes } from './place-routes.ts'
import { placeSelfTokenRoutes } from './place-self-routes.ts'

/** Access tokens of projects and groups. */
export const accessTokens: Feature = {
  routes: [placeTokenRoutes, placeSelfTokenRoutes],
  abilities: accessTokenAbilities,
}
