import type { Abilities, RulesOf } from '#platform/access/abilities.ts'
import { both, signedIn } from '#platform/access/access-context.ts'
import { inProjectFeature } from '#platform/access/project-feature-rules.ts'
import { codeReaders } from '#code/repositories/abilities.ts'

export const forkAbilities = {
  project: {
    /** Make a project of one's own with the code of this one. */
    fork_project: inProjectFeature('repository', inProjectFeature('forking', both(signedIn, codeReaders))),
  },
} satisfies Abilities

declare module '#platform/access/abilities.ts' {
  interface ProjectAbilities extends RulesOf<typeof forkAbilities.project> {}
}
