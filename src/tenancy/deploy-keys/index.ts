import type { Feature } from '#platform/feature.ts'
import { keyInProjects } from '#identity/keys/extension-points.ts'
import { deployKeyAbilities } from './abilities.ts'
import { keyInAllProjects } from './enabled-projects.ts'
import { auditedDeployKey, deployKeyFacts } from './facts.ts'
import { instanceDeployKeyRoutes } from './instance-routes.ts'
import { deployKeyRoutes } from './routes.ts'

/** Deploy keys: SSH keys of machines, which reach the repositories of some projects. */
export const deployKeys: Feature = {
  areas: [
    {
      name: 'Deploy keys',
      about: 'SSH keys of machines, which reach the repositories of some projects.',
      segments: ['deploy_keys', 'project_deploy_keys'],
    },
  ],
  routes: [deployKeyRoutes, instanceDeployKeyRoutes],
  abilities: deployKeyAbilities,
  facts: deployKeyFacts,
  audited: auditedDeployKey,
  extensions: [keyInProjects.with(keyInAllProjects)],
}
