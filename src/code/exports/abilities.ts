import type { Abilities, RulesOf } from '#platform/access/abilities.ts'
import { atLeast } from '#platform/access/access-context.ts'

export const exportAbilities = {
  project: {
    /** Take away everything in the project, confidential issues included. */
    export_project: atLeast('maintainer'),
  },
} satisfies Abilities

declare module '#platform/access/abilities.ts' {
  interface ProjectAbilities extends RulesOf<typeof exportAbilities.project> {}
}
