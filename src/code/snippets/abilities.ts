import type { Abilities, RulesOf } from '#platform/access/abilities.ts'
import {
  administrators,
  atLeast,
  readers,
  signedIn,
  unlessArchived,
} from '#platform/access/access-context.ts'
import { inProjectFeature } from '#platform/access/project-feature-rules.ts'

export const snippetAbilities = {
  project: {
    /** Which of them depends on their visibility: visible.ts. */
    read_snippet: inProjectFeature('snippets', readers),
    /** Others read those whose visibility lets them, and their own. */
    read_private_snippet: inProjectFeature('snippets', atLeast('guest')),
    /** Create snippets and change one's own. Other people's need `admin_snippet`. */
    create_snippet: inProjectFeature('snippets', unlessArchived(atLeast('developer'))),
    admin_snippet: inProjectFeature('snippets', unlessArchived(atLeast('maintainer'))),
    read_snippet_user_agent: inProjectFeature('snippets', administrators),
    create_snippet_note: inProjectFeature('snippets', unlessArchived(signedIn)),
    award_snippet_emoji: inProjectFeature('snippets', unlessArchived(signedIn)),
  },
} satisfies Abilities

declare module '#platform/access/abilities.ts' {
  interface ProjectAbilities extends RulesOf<typeof snippetAbilities.project> {}
}
