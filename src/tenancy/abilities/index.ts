import type { Feature } from '#platform/feature.ts'
import { abilityRoutes } from './routes.ts'

/** What the caller may do in projects and groups, for clients that offer nothing else. */
export const abilities: Feature = { routes: [abilityRoutes] }
