import type { Abilities, RulesOf } from '#platform/access/abilities.ts'
import { atLeast, readers, unlessArchived } from '#platform/access/access-context.ts'
import { inProjectFeature } from '#platform/access/project-feature-rules.ts'

export const packageAbilities = {
  project: {
    read_package: inProjectFeature('package_registry', readers),
    create_package: inProjectFeature('package_registry', unlessArchived(atLeast('developer'))),
    admin_package: inProjectFeature('package_registry', unlessArchived(atLeast('maintainer'))),
    destroy_package: inProjectFeature('package_registry', unlessArchived(atLeast('maintainer'))),
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
