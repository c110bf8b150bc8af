import type { Abilities, RulesOf } from '#platform/access/abilities.ts'
import { atLeast, unlessArchived } from '#platform/access/access-context.ts'

export const accessTokenAbilities = {
  project: {
    read_access_token: atLeast('maintainer'),
    create_access_token: unlessArchived(atLeast('maintainer')),
    /** Rotating and revoking tokens: ending a secret stays possible while a project is archived. */
    end_access_token: atLeast('maintainer'),
  },
  group: {
    read_access_token: atLeast('owner'),
    create_access_token: unlessArchived(atLeast('owner')),
    end_access_token: atLeast('owner'),
  },
} satisfies Abilities

declare module '#platform/access/abilities.ts' {
  interface ProjectAbilities extends RulesOf<typeof accessTokenAbilities.project> {}
  interface GroupAbilities extends RulesOf<typeof accessTokenAbilities.group> {}
}
