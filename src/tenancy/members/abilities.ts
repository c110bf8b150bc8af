import type { Abilities, RulesOf } from '#platform/access/abilities.ts'
import { atLeast, readers, unlessArchived } from '#platform/access/access-context.ts'

export const memberAbilities = {
  project: {
    read_member: readers,
    admin_member: unlessArchived(atLeast('maintainer')),
  },
  group: {
    read_member: readers,
    admin_member: unlessArchived(atLeast('owner')),
  },
} satisfies Abilities

declare module '#platform/access/abilities.ts' {
  interface ProjectAbilities extends RulesOf<typeof memberAbilities.project> {}
  interface GroupAbilities extends RulesOf<typeof memberAbilities.group> {}
}
