import type { Abilities, RulesOf } from '#platform/access/abilities.ts'
import { atLeast, readers, unlessArchived } from '#platform/access/access-context.ts'

export const badgeAbilities = {
  project: {
    read_badge: readers,
    preview_badge: atLeast('maintainer'),
    admin_badge: unlessArchived(atLeast('maintainer')),
  },
  group: {
    read_badge: readers,
    preview_badge: atLeast('owner'),
    admin_badge: unlessArchived(atLeast('owner')),
  },
} satisfies Abilities

declare module '#platform/access/abilities.ts' {
  interface ProjectAbilities extends RulesOf<typeof badgeAbilities.project> {}
  interface GroupAbilities extends RulesOf<typeof badgeAbilities.group> {}
}
