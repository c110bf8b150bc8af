import type { Abilities, RulesOf } from '#platform/access/abilities.ts'
import { atLeast, readers, signedIn, unlessArchived } from '#platform/access/access-context.ts'

export const epicAbilities = {
  group: {
    read_epic: readers,
    /** Nobody else sees them, not even their author: planning/epics/visible.ts. */
    read_confidential_epic: atLeast('planner'),
    admin_epic: unlessArchived(atLeast('planner')),
    /** Needed on both sides: of an epic and an issue, or of two epics. */
    link_epic: unlessArchived(atLeast('guest')),
    delete_epic: unlessArchived(atLeast('owner')),
    create_epic_note: unlessArchived(signedIn),
    award_epic_emoji: unlessArchived(signedIn),
    subscribe_epic: signedIn,
    read_internal_epic_note: atLeast('planner'),
    admin_epic_note: unlessArchived(atLeast('maintainer')),
    set_epic_created_at: atLeast('owner'),
  },
} satisfies Abilities

declare module '#platform/access/abilities.ts' {
  interface GroupAbilities extends RulesOf<typeof epicAbilities.group> {}
}
