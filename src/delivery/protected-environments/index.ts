import type { Feature } from '#platform/feature.ts'
import { protectedEnvironmentAbilities } from './abilities.ts'
import { approvalRoutes } from './approval-routes.ts'
import { auditedEnvironmentProtection, protectedEnvironmentFacts } from './facts.ts'
import { protectedEnvironmentRoutes } from './routes.ts'

/** Environments that not everybody may deploy to, and whose deployments need approval. */
export const protectedEnvironments: Feature = {
  areas: [
    {
      name: 'Protected environments',
      about: 'Environments that not everybody may deploy to, and whose deployments need approval.',
      segments: ['protected_environments'],
    },
  ],
  abilities: protectedEnvironmentAbilities,
  facts: protectedEnvironmentFacts,
  audited: auditedEnvironmentProtection,
  routes: [protectedEnvironmentRoutes, approvalRoutes],
}
