import type { Abilities, RulesOf } from '#platform/access/abilities.ts'
import { both, signedIn, unlessArchived } from '#platform/access/access-context.ts'
import { inProjectFeature } from '#platform/access/project-feature-rules.ts'
import { codeReaders } from '#code/repositories/abilities.ts'

export const commitNoteAbilities = {
  project: {
    create_commit_note: unlessArchived(inProjectFeature('repository', both(signedIn, codeReaders))),
  },
} satisfies Abilities

declare module '#platform/access/abilities.ts' {
  interface ProjectAbilities extends RulesOf<typeof commitNoteAbilities.project> {}
}
