import { inPlanningFeatures } from '#planning/project-features.ts'
import type { Abilities, RulesOf } from '#platform/access/abilities.ts'
import { atLeast, readers, unlessArchived } from '#platform/access/access-context.ts'

export const milestoneAbilities = {
  project: {
    read_milestone: inPlanningFeatures(readers),
    admin_milestone: inPlanningFeatures(unlessArchived(atLeast('planner'))),
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
