import type { Feature } from '#platform/feature.ts'
import { containerRegistryAbilities } from './abilities.ts'
import { distributionRoutes } from './distribution/routes.ts'
import { auditedContainerRegistry, containerRegistryFacts } from './facts.ts'
import { containerRegistrySettings } from './settings.ts'

/** Images of containers that projects keep. */
export const containerRegistry: Feature = {
  pages: [distributionRoutes],
  abilities: containerRegistryAbilities,
  facts: containerRegistryFacts,
  audited: auditedContainerRegistry,
  settings: containerRegistrySettings,
}
