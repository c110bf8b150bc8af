import type { Abilities, RulesOf } from '#platform/access/abilities.ts'
import { atLeast, unlessArchived } from '#platform/access/access-context.ts'
import { codeReaders } from '#code/repositories/abilities.ts'
import { whereDeployed } from '../environments/abilities.ts'

export const deploymentAbilities = {
  project: {
    read_deployment: whereDeployed(codeReaders),
    /** What protects the environment may refuse it nevertheless, or make the deployment wait. */
    create_deployment: whereDeployed(unlessArchived(atLeast('developer'))),
    delete_deployment: whereDeployed(unlessArchived(atLeast('maintainer'))),
  },
} satisfies Abilities

declare module '#platform/access/abilities.ts' {
  interface ProjectAbilities extends RulesOf<typeof deploymentAbilities.project> {}
}
