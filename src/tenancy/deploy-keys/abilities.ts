import type { Abilities, RulesOf } from '#platform/access/abilities.ts'
import { atLeast, unlessArchived } from '#platform/access/access-context.ts'

export const deployKeyAbilities = {
  project: {
    read_deploy_key: atLeast('maintainer'),
    /** Adding, enabling and changing them. */
    admin_deploy_key: unlessArchived(atLeast('maintainer')),
    /** Ending access stays possible while a project is archived. */
    remove_deploy_key: atLeast('maintainer'),
  },
} satisfies Abilities

declare module '#platform/access/abilities.ts' {
  interface ProjectAbilities extends RulesOf<typeof deployKeyAbilities.project> {}
}
