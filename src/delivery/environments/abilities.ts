import type { Abilities, RulesOf } from '#platform/access/abilities.ts'
import { atLeast, type Rule, unlessArchived } from '#platform/access/access-context.ts'
import { inProjectFeature } from '#platform/access/project-feature-rules.ts'
import { codeReaders } from '#code/repositories/abilities.ts'

/** Environments are what code is deployed to: they close with the repository, and with what builds it. */
export const whereDeployed = (rule: Rule): Rule =>
  inProjectFeature('environments', inProjectFeature('builds', inProjectFeature('repository', rule)))

export const environmentAbilities = {
  project: {
    read_environment: whereDeployed(codeReaders),
    /** What protects an environment may refuse it nevertheless. */
    admin_environment: whereDeployed(unlessArchived(atLeast('developer'))),
  },
} satisfies Abilities

declare module '#platform/access/abilities.ts' {
  interface ProjectAbilities extends RulesOf<typeof environmentAbilities.project> {}
}
