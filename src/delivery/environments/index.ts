import type { Feature } from '#platform/feature.ts'
import { daily, scheduled } from '#platform/jobs/schedule.ts'
import { environmentAbilities } from './abilities.ts'
import { deleteEnvironments, stopEnvironments } from './end-by-themselves.ts'
import { environmentFacts } from './facts.ts'
import { removeEnvironments } from './hide-environments.ts'
import { reviewAppRoutes } from './review-app-routes.ts'
import { environmentRoutes } from './routes.ts'

/** Environments: where a project is deployed to. */
export const environments: Feature = {
  areas: [{ name: 'Environments', about: 'Where a project is deployed to.', segments: ['environments'] }],
  routes: [environmentRoutes, reviewAppRoutes],
  abilities: environmentAbilities,
  facts: environmentFacts,
  tasks: [stopEnvironments, deleteEnvironments, removeEnvironments],
  schedule: [scheduled('* * * * *', stopEnvironments, {}), daily('05:20', deleteEnvironments, {})],
}
