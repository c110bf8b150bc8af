import type { Abilities, RulesOf } from '#platform/access/abilities.ts'
import { atLeast, unlessArchived } from '#platform/access/access-context.ts'
import { inProjectFeature } from '#platform/access/project-feature-rules.ts'

export const commitStatusAbilities = {
  project: {
    /** Say how a check of a commit went. */
    set_commit_status: unlessArchived(inProjectFeature('repository', atLeast('developer'))),
  },
} satisfies Abilities

declare module '#platform/access/abilities.ts' {
  interface ProjectAbilities extends RulesOf<typeof commitStatusAbilities.project> {}
}
