import type { Abilities, RulesOf } from '#platform/access/abilities.ts'
import { atLeast, unlessArchived } from '#platform/access/access-context.ts'

export const variableAbilities = {
  project: {
    read_cicd_variable: atLeast('maintainer'),
    admin_cicd_variable: unlessArchived(atLeast('maintainer')),
  },
  group: {
    read_cicd_variable: atLeast('owner'),
    admin_cicd_variable: unlessArchived(atLeast('owner')),
  },
} satisfies Abilities

declare module '#platform/access/abilities.ts' {
  interface ProjectAbilities extends RulesOf<typeof variableAbilities.project> {}
  interface GroupAbilities extends RulesOf<typeof variableAbilities.group> {}
}
