import type { Abilities, RulesOf } from '#platform/access/abilities.ts'
import { atLeast, unlessArchived } from '#platform/access/access-context.ts'
import { whereDeployed } from '../environments/abilities.ts'

export const freezePeriodAbilities = {
  project: {
    read_freeze_period: whereDeployed(atLeast('reporter')),
    admin_freeze_period: whereDeployed(unlessArchived(atLeast('maintainer'))),
  },
} satisfies Abilities

declare module '#platform/access/abilities.ts' {
  interface ProjectAbilities extends RulesOf<typeof freezePeriodAbilities.project> {}
}
