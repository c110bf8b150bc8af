import type { Abilities, RulesOf } from '#platform/access/abilities.ts'
import { atLeast } from '#platform/access/access-context.ts'

export const auditEventAbilities = {
  project: {
    /** Developers read events of their own actions; the next ability adds those of others. */
    read_audit_events: atLeast('developer'),
    read_audit_events_of_others: atLeast('maintainer'),
  },
  group: {
    read_audit_events: atLeast('developer'),
    read_audit_events_of_others: atLeast('owner'),
  },
} satisfies Abilities

declare module '#platform/access/abilities.ts' {
  interface ProjectAbilities extends RulesOf<typeof auditEventAbilities.project> {}
  interface GroupAbilities extends RulesOf<typeof auditEventAbilities.group> {}
}
