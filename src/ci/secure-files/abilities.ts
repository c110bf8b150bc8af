import { inBuilds } from '#code/pipelines/abilities.ts'
import type { Abilities, RulesOf } from '#platform/access/abilities.ts'
import { atLeast, unlessArchived } from '#platform/access/access-context.ts'

export const secureFileAbilities = {
  project: {
    read_secure_file: inBuilds(atLeast('developer')),
    admin_secure_file: inBuilds(unlessArchived(atLeast('maintainer'))),
  },
} satisfies Abilities

declare module '#platform/access/abilities.ts' {
  interface ProjectAbilities extends RulesOf<typeof secureFileAbilities.project> {}
}
