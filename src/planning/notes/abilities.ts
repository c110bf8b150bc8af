import type { Abilities, RulesOf } from '#platform/access/abilities.ts'
import { atLeast, unlessArchived } from '#platform/access/access-context.ts'

export const noteAbilities = {
  project: {
    /** Else only one's own: planning/notes/visible.ts. */
    read_internal_note: atLeast('planner'),
    /** Notes of others; one's own take only being allowed to write one. */
    admin_note: unlessArchived(atLeast('maintainer')),
  },
} satisfies Abilities

declare module '#platform/access/abilities.ts' {
  interface ProjectAbilities extends RulesOf<typeof noteAbilities.project> {}
}
