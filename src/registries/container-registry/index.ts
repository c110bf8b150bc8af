import type { Feature } from '#platform/feature.ts'
import { daily, scheduled } from '#platform/jobs/schedule.ts'
import { projectExtensions } from '#tenancy/projects/extension-points.ts'
import { containerRegistryAbilities } from './abilities.ts'
import { runCleanupPolicies } from './cleanup-policy.ts'
import { collectGarbage } from './collect-garbage.ts'
import { removeRepository } from './delete-repository.ts'
import { deleteTags } from './delete-tags.ts'
import { distributionRoutes } from './distribution/routes.ts'
import { auditedContainerRegistry, containerRegistryFacts } from './facts.ts'
import { cleanupsOfProjects } from './project-extension.ts'
import { repositoryRoutes } from './repository-routes.ts'
import { ruleRoutes } from './rule-routes.ts'
import { containerRegistrySettings } from './settings.ts'
import { tagRoutes } from './tag-routes.ts'

/** Images of containers that projects keep. */
export const containerRegistry: Feature = {
  areas: [
    {
      name: 'Container registry',
      about:
        'Images of containers that projects keep. Clients push and pull them by the OCI distribution specification below `/v2/`.',
      segments: ['registry'],
    },
  ],
  extensions: [projectExtensions.with(cleanupsOfProjects)],
  routes: [repositoryRoutes, tagRoutes, ruleRoutes],
  pages: [distributionRoutes],
  abilities: containerRegistryAbilities,
  facts: containerRegistryFacts,
  audited: auditedContainerRegistry,
  settings: containerRegistrySettings,
  unique: {
    container_repository_rules_pattern_key: { attribute: 'repository_path_pattern' },
    container_tag_rules_pattern_key: { attribute: 'tag_name_pattern' },
  },
  tasks: [removeRepository, deleteTags, collectGarbage, runCleanupPolicies],
  schedule: [scheduled('17 * * * *', runCleanupPolicies, {}), daily('03:40', collectGarbage, {})],
}
