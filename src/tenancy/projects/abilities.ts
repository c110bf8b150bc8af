import type { Abilities, RulesOf } from '#platform/access/abilities.ts'
import { administrators, atLeast, roles, signedIn, unlessArchived } from '#platform/access/access-context.ts'

export const projectAbilities = {
  project: {
    /** Also while it is archived. */
    update_project: atLeast('maintainer'),
    /** Changes of path and visibility; also while it is archived. */
    move_project: atLeast('owner'),
    admin_project: unlessArchived(atLeast('owner')),
    archive_project: atLeast('owner'),
    transfer_project: unlessArchived(atLeast('owner')),
    delete_project: atLeast('owner'),
    star_project: signedIn,
    read_project_storage: administrators,
    /** Lets imports set when something was written. */
    set_created_at: atLeast('owner'),
  },
  group: {
    create_project: unlessArchived(roles('developer', 'maintainer', 'owner')),
    import_project: administrators,
  },
} satisfies Abilities

declare module '#platform/access/abilities.ts' {
  interface ProjectAbilities extends RulesOf<typeof projectAbilities.project> {}
  interface GroupAbilities extends RulesOf<typeof projectAbilities.group> {}
}
