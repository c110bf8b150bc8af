import type { Abilities, RulesOf } from '#platform/access/abilities.ts'
import { atLeast, readers, type Rule, unlessArchived } from '#platform/access/access-context.ts'
import { codeReaders } from '#code/repositories/abilities.ts'
import { inProjectFeature } from '#platform/access/project-feature-rules.ts'

const inRegistry = (rule: Rule): Rule => inProjectFeature('container_registry', rule)

export const containerRegistryAbilities = {
  project: {
    read_container_image: inRegistry(codeReaders),
    create_container_image: inRegistry(unlessArchived(atLeast('developer'))),
    destroy_container_image: inRegistry(unlessArchived(atLeast('developer'))),
    admin_container_image: inRegistry(unlessArchived(atLeast('maintainer'))),
  },
  group: {
    /** The list of the repositories of a group has those of projects that the caller may pull from. */
    read_container_images: readers,
  },
} satisfies Abilities

declare module '#platform/access/abilities.ts' {
  interface ProjectAbilities extends RulesOf<typeof containerRegistryAbilities.project> {}
  interface GroupAbilities extends RulesOf<typeof containerRegistryAbilities.group> {}
}
