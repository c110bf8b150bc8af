import { inPlanningFeatures } from '#planning/project-features.ts'
import type { Abilities, RulesOf } from '#platform/access/abilities.ts'
import { atLeast, readers, signedIn, unlessArchived } from '#platform/access/access-context.ts'

export const labelAbilities = {
  project: {
    read_label: inPlanningFeatures(readers),
    admin_label: inPlanningFeatures(unlessArchived(atLeast('planner'))),
    subscribe_label: inPlanningFeatures(signedIn),
    promote_label: inPlanningFeatures(unlessArchived(atLeast('planner'))),
  },
  group: {
    read_label: readers,
    admin_label: unlessArchived(atLeast('planner')),
    subscribe_label: signedIn,
  },
} satisfies Abilities

declare module '#platform/access/abilities.ts' {
  interface ProjectAbilities extends RulesOf<typeof labelAbilities.project> {}
  interface GroupAbilities extends RulesOf<typeof labelAbilities.group> {}
}
