import type { Abilities, RulesOf } from '#platform/access/abilities.ts'
import { atLeast, readers, unlessArchived } from '#platform/access/access-context.ts'
import { inProjectFeature } from '#platform/access/project-feature-rules.ts'

export const boardAbilities = {
  project: {
    read_board: inProjectFeature('issues', readers),
    admin_board: inProjectFeature('issues', unlessArchived(atLeast('planner'))),
  },
  group: {
    read_board: readers,
    admin_board: unlessArchived(atLeast('planner')),
  },
} satisfies Abilities

declare module '#platform/access/abilities.ts' {
  interface ProjectAbilities extends RulesOf<typeof boardAbilities.project> {}
  interface GroupAbilities extends RulesOf<typeof boardAbilities.group> {}
}
