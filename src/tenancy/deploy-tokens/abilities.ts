import type { Abilities, RulesOf } from '#platform/access/abilities.ts'
import { atLeast, unlessArchived } from '#platform/access/access-context.ts'

export const deployTokenAbilities = {
  project: {
    read_deploy_token: atLeast('maintainer'),
    create_deploy_token: unlessArchived(atLeast('maintainer')),
    /** Ending a secret stays possible while a project is archived. */
    delete_deploy_token: atLeast('maintainer'),
  },
  group: {
    read_deploy_token: atLeast('maintainer'),
    create_deploy_token: unlessArchived(atLeast('owner')),
    delete_deploy_token: atLeast('owner'),
  },
} satisfies Abilities

declare module '#platform/access/abilities.ts' {
  interface ProjectAbilities extends RulesOf<typeof deployTokenAbilities.project> {}
  interface GroupAbilities extends RulesOf<typeof deployTokenAbilities.group> {}
}
