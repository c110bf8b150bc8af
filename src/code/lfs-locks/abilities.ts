import type { Abilities, RulesOf } from '#platform/access/abilities.ts'
import { atLeast, unlessArchived } from '#platform/access/access-context.ts'
import { inProjectFeature } from '#platform/access/project-feature-rules.ts'

export const lfsLockAbilities = {
  project: {
    /** Remove locks of other people. */
    admin_lfs_lock: unlessArchived(inProjectFeature('repository', atLeast('maintainer'))),
  },
} satisfies Abilities

declare module '#platform/access/abilities.ts' {
  interface ProjectAbilities extends RulesOf<typeof lfsLockAbilities.project> {}
}
