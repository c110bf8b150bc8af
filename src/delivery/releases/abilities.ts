import { codeReaders } from '#code/repositories/abilities.ts'
import type { Abilities, RulesOf } from '#platform/access/abilities.ts'
import { atLeast, readers, type Rule, unlessArchived } from '#platform/access/access-context.ts'
import { inProjectFeature } from '#platform/access/project-feature-rules.ts'

const inReleases = (rule: Rule): Rule => inProjectFeature('releases', rule)

export const releaseAbilities = {
  project: {
    /** See which releases there are. What they say of the code is for those who may read it. */
    read_release: inReleases(readers),
    /** See a release with its tag, its commit and its archives. */
    read_release_code: inReleases(inProjectFeature('repository', codeReaders)),
    /** A protected tag may refuse it nevertheless. */
    admin_release: unlessArchived(inReleases(inProjectFeature('repository', atLeast('developer')))),
  },
  group: { read_release: readers },
} satisfies Abilities

declare module '#platform/access/abilities.ts' {
  interface ProjectAbilities extends RulesOf<typeof releaseAbilities.project> {}
  interface GroupAbilities extends RulesOf<typeof releaseAbilities.group> {}
}
