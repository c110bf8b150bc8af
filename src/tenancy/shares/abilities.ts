import type { Abilities, RulesOf } from '#platform/access/abilities.ts'
import { atLeast, unlessArchived } from '#platform/access/access-context.ts'

export const shareAbilities = {
  project: {
    share_project: unlessArchived(atLeast('maintainer')),
  },
  group: {
    share_group: unlessArchived(atLeast('owner')),
  },
} satisfies Abilities

declare module '#platform/access/abilities.ts' {
  interface ProjectAbilities extends RulesOf<typeof shareAbilities.project> {}
  interface GroupAbilities extends RulesOf<typeof shareAbilities.group> {}
}
