import type { Abilities, RulesOf } from '#platform/access/abilities.ts'
import { atLeast, both, readers, type Rule, unlessArchived } from '#platform/access/access-context.ts'
import { levels } from '#platform/access/roles.ts'

/** Members of the group, and members of something below it: pipelines of its projects have tokens of these. */
const members: Rule = ({ admin, level, readsBelow }) => admin || level >= levels.guest || readsBelow

export const virtualRegistryAbilities = {
  group: {
    read_virtual_registry: atLeast('guest'),
    pull_virtual_registry: both(readers, members),
    admin_virtual_registry: unlessArchived(atLeast('maintainer')),
  },
} satisfies Abilities

declare module '#platform/access/abilities.ts' {
  interface GroupAbilities extends RulesOf<typeof virtualRegistryAbilities.group> {}
}
