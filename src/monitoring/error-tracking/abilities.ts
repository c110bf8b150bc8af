import type { Abilities, RulesOf } from '#platform/access/abilities.ts'
import { atLeast, unlessArchived } from '#platform/access/access-context.ts'

export const errorTrackingAbilities = {
  project: {
    read_error_tracking: atLeast('maintainer'),
    admin_error_tracking: unlessArchived(atLeast('maintainer')),
    read_error: atLeast('reporter'),
    update_error: unlessArchived(atLeast('developer')),
  },
} satisfies Abilities

declare module '#platform/access/abilities.ts' {
  interface ProjectAbilities extends RulesOf<typeof errorTrackingAbilities.project> {}
}
