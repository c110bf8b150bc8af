import type { Abilities, RulesOf } from '#platform/access/abilities.ts'
import { atLeast, unlessArchived } from '#platform/access/access-context.ts'
import { inProjectFeature } from '#platform/access/project-feature-rules.ts'

const developers = atLeast('developer')

export const alertAbilities = {
  project: {
    /** Also where everybody sees the project: payloads tell of machines. */
    read_alert: inProjectFeature('monitor', developers),
    update_alert: inProjectFeature('monitor', unlessArchived(developers)),
    create_alert_note: inProjectFeature('monitor', unlessArchived(developers)),
    award_alert_emoji: inProjectFeature('monitor', unlessArchived(developers)),
    mark_alert: inProjectFeature('monitor', developers),
  },
} satisfies Abilities

declare module '#platform/access/abilities.ts' {
  interface ProjectAbilities extends RulesOf<typeof alertAbilities.project> {}
}
