import type { Abilities, RulesOf } from '#platform/access/abilities.ts'
import { atLeast, readers, signedIn, unlessArchived } from '#platform/access/access-context.ts'

const rules = {
  /** For those who know the secret, from a text that they may read. */
  read_upload: readers,
  create_upload: unlessArchived(signedIn),
  /** Sees all of them, whatever texts they are in. */
  list_uploads: atLeast('maintainer'),
  delete_upload: unlessArchived(atLeast('maintainer')),
}

export const uploadAbilities = { project: rules, group: rules } satisfies Abilities

declare module '#platform/access/abilities.ts' {
  interface ProjectAbilities extends RulesOf<typeof rules> {}
  interface GroupAbilities extends RulesOf<typeof rules> {}
}
