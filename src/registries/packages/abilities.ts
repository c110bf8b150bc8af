import type { Abilities, RulesOf } from '#platform/access/abilities.ts'
import { codeReaders } from '#code/repositories/abilities.ts'
import { atLeast, readers, type Rule, unlessArchived } from '#platform/access/access-context.ts'
import { inProjectFeature } from '#platform/access/project-feature-rules.ts'

const inRegistry = (rule: Rule): Rule => inProjectFeature('package_registry', rule)

export const packageAbilities = {
  project: {
    read_package: inRegistry(codeReaders),
    create_package: inRegistry(unlessArchived(atLeast('developer'))),
    admin_package: inRegistry(unlessArchived(atLeast('maintainer'))),
    destroy_package: inRegistry(unlessArchived(atLeast('maintainer'))),
  },
  group: {
    /** The packages of projects below, as far as each project shows them. */
    list_packages: readers,
    admin_package_settings: unlessArchived(atLeast('maintainer')),
  },
} satisfies Abilities

declare module '#platform/access/abilities.ts' {
  interface ProjectAbilities extends RulesOf<typeof packageAbilities.project> {}
  interface GroupAbilities extends RulesOf<typeof packageAbilities.group> {}
}
