import type { Feature } from '#platform/feature.ts'
import { deployTokenAbilities } from './abilities.ts'
import { auditedDeployToken, deployTokenFacts } from './facts.ts'
import { deployTokenRoutes } from './routes.ts'

/** Deploy tokens of projects and groups, with which programs fetch code and images. */
export const deployTokens: Feature = {
  areas: [
    {
      name: 'Deploy tokens',
      about: 'Deploy tokens of projects and groups, for git and registries.',
      segments: ['deploy_tokens'],
    },
  ],
  routes: [deployTokenRoutes],
  abilities: deployTokenAbilities,
  facts: deployTokenFacts,
  audited: auditedDeployToken,
}
