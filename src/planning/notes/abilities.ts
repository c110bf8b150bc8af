import type { Abilities, RulesOf } from '#platform/access/abilities.ts'
import { atLeast, unlessArchived } from '#platform/access/access-context.ts'

export const noteAbilities = {
  project: {
    /** Others read only their own: planning/notes/visible.ts. */
    read_internal_note: atLeast('planner'),
    /** Other people's notes. One's own need only the right to write notes. */
    admin_note: unlessArchived(atLeast('maintainer')),
  },
} satisfies Abilities

declare module '#platform/access/abilities.ts' {
  interface ProjectAbilities extends RulesOf<typeof noteAbilities.project> {}
}
