import { planned } from '#platform/access/project-feature-rules.ts'
import type { Abilities, RulesOf } from '#platform/access/abilities.ts'
import { atLeast, readers, signedIn, unlessArchived } from '#platform/access/access-context.ts'

export const labelAbilities = {
  project: {
    read_label: planned(readers),
    admin_label: planned(unlessArchived(atLeast('planner'))),
    subscribe_label: planned(signedIn),
    promote_label: planned(unlessArchived(atLeast('planner'))),
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
