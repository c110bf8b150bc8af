import type { Abilities, RulesOf } from '#platform/access/abilities.ts'
import { atLeast, unlessArchived } from '#platform/access/access-context.ts'

export const groupAbilities = {
  group: {
    update_group: unlessArchived(atLeast('owner')),
    archive_group: atLeast('owner'),
    transfer_group: unlessArchived(atLeast('owner')),
    delete_group: atLeast('owner'),
    /** The group's own setting may name a lower or higher role: tenancy/groups/create-group.ts. */
    create_subgroup: unlessArchived(atLeast('maintainer')),
  },
} satisfies Abilities

declare module '#platform/access/abilities.ts' {
  interface GroupAbilities extends RulesOf<typeof groupAbilities.group> {}
}
