import { planned } from '#platform/access/project-feature-rules.ts'
import type { Abilities, RulesOf } from '#platform/access/abilities.ts'
import { atLeast, readers, unlessArchived } from '#platform/access/access-context.ts'

export const milestoneAbilities = {
  project: {
    read_milestone: planned(readers),
    admin_milestone: planned(unlessArchived(atLeast('planner'))),
  },
  group: {
    read_milestone: readers,
    admin_milestone: unlessArchived(atLeast('planner')),
  },
} satisfies Abilities

declare module '#platform/access/abilities.ts' {
  interface ProjectAbilities extends RulesOf<typeof milestoneAbilities.project> {}
  interface GroupAbilities extends RulesOf<typeof milestoneAbilities.group> {}
}
