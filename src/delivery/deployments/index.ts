import { deployedFilters } from '#code/merge-requests/list/extension-points.ts'
import type { Feature } from '#platform/feature.ts'
import { deploymentAbilities } from './abilities.ts'
import { deployedAs } from './deployed-merge-requests.ts'
import { deploymentFacts } from './facts.ts'
import { linkMergeRequests } from './link-merge-requests.ts'
import { deploymentMergeRequestRoutes } from './merge-request-routes.ts'
import { deploymentRoutes } from './routes.ts'

/** Deployments: which commit came to which environment, and how that went. */
export const deployments: Feature = {
  areas: [
    {
      name: 'Deployments',
      about: 'Which commit came to which environment, and how that went.',
      segments: ['deployments'],
    },
  ],
  routes: [deploymentRoutes, deploymentMergeRequestRoutes],
  abilities: deploymentAbilities,
  facts: deploymentFacts,
  tasks: [linkMergeRequests],
  extensions: [deployedFilters.with(deployedAs)],
}
