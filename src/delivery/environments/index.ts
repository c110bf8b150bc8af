import type { Feature } from '#platform/feature.ts'
import { environmentAbilities } from './abilities.ts'
import { environmentFacts } from './facts.ts'
import { environmentRoutes } from './routes.ts'

/** Environments: where a project is deployed to. */
export const environments: Feature = {
  areas: [{ name: 'Environments', about: 'Where a project is deployed to.', segments: ['environments'] }],
  routes: [environmentRoutes],
  abilities: environmentAbilities,
  facts: environmentFacts,
}
