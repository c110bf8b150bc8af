import type { Abilities, RulesOf } from '#platform/access/abilities.ts'
import { atLeast, unlessArchived } from '#platform/access/access-context.ts'

export const hookAbilities = {
  project: {
    read_hook: atLeast('maintainer'),
    admin_hook: unlessArchived(atLeast('maintainer')),
  },
  group: {
    read_hook: atLeast('owner'),
    admin_hook: unlessArchived(atLeast('owner')),
  },
} satisfies Abilities

declare module '#platform/access/abilities.ts' {
  interface ProjectAbilities extends RulesOf<typeof hookAbilities.project> {}
  interface GroupAbilities extends RulesOf<typeof hookAbilities.group> {}
}
