import type { Abilities, RulesOf } from '#platform/access/abilities.ts'
import { atLeast, both, signedIn, unlessArchived } from '#platform/access/access-context.ts'
import { inProjectFeature } from '#platform/access/project-feature-rules.ts'
import { codeReaders } from '#code/repositories/abilities.ts'
import { whereDeployed } from '../environments/abilities.ts'

const maintainers = atLeast('maintainer')
const ofProject = inProjectFeature('environments', maintainers)

export const protectedEnvironmentAbilities = {
  project: {
    /** See who may deploy to protected environments, and who must approve. */
    read_protected_environment: ofProject,
    /** Protect environments, change how, and end it. */
    admin_protected_environment: unlessArchived(ofProject),
    /** Approve or reject a deployment that waits. The protection rules decide which of its readers may. */
    approve_deployment: whereDeployed(unlessArchived(both(signedIn, codeReaders))),
  },
  group: {
    /** The same for all environments of a tier in the group. */
    read_protected_environment: maintainers,
    admin_protected_environment: unlessArchived(maintainers),
  },
} satisfies Abilities

declare module '#platform/access/abilities.ts' {
  interface ProjectAbilities extends RulesOf<typeof protectedEnvironmentAbilities.project> {}
  interface GroupAbilities extends RulesOf<typeof protectedEnvironmentAbilities.group> {}
}
