import type { Abilities, RulesOf } from '#platform/access/abilities.ts'
import { atLeast, unlessArchived } from '#platform/access/access-context.ts'

export const alertIntegrationAbilities = {
  project: {
    /** Without keys and URLs, which take `admin_alert_integration`. */
    read_alert_integration: atLeast('developer'),
    admin_alert_integration: unlessArchived(atLeast('maintainer')),
    test_alert_integration: unlessArchived(atLeast('developer')),
  },
} satisfies Abilities

declare module '#platform/access/abilities.ts' {
  interface ProjectAbilities extends RulesOf<typeof alertIntegrationAbilities.project> {}
}
