import type { Abilities, RulesOf } from '#platform/access/abilities.ts'
import { atLeast, readers, signedIn, unlessArchived } from '#platform/access/access-context.ts'
import { inProjectFeature } from '#platform/access/project-feature-rules.ts'

/** The same in projects and groups: both have the setting `wiki_access_level`. */
const rules = {
  /** Read pages, and clone the wiki. */
  read_wiki: inProjectFeature('wiki', readers),
  /** Write pages and attachments, and push. */
  edit_wiki: unlessArchived(inProjectFeature('wiki', atLeast('developer'))),
  /** Write notes on pages, and react to pages. */
  discuss_wiki: unlessArchived(inProjectFeature('wiki', signedIn)),
  /** Change and delete other people's notes on pages. */
  admin_wiki_note: unlessArchived(inProjectFeature('wiki', atLeast('maintainer'))),
}

export const wikiAbilities = { project: rules, group: rules } satisfies Abilities

declare module '#platform/access/abilities.ts' {
  interface ProjectAbilities extends RulesOf<typeof rules> {}
  interface GroupAbilities extends RulesOf<typeof rules> {}
}
