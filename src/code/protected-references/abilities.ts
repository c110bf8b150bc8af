import type { Abilities, RulesOf } from '#platform/access/abilities.ts'
import { atLeast, unlessArchived } from '#platform/access/access-context.ts'
import { inProjectFeature } from '#platform/access/project-feature-rules.ts'

const maintainers = inProjectFeature('repository', atLeast('maintainer'))

export const protectionAbilities = {
  project: {
    /** See who may change protected branches and tags. */
    read_protected_reference: maintainers,
    /** Protect branches and tags, change how, and end it. */
    admin_protected_reference: unlessArchived(maintainers),
  },
} satisfies Abilities

declare module '#platform/access/abilities.ts' {
  interface ProjectAbilities extends RulesOf<typeof protectionAbilities.project> {}
}
