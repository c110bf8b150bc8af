import type { Abilities, RulesOf } from '#platform/access/abilities.ts'
import { atLeast, unlessArchived } from '#platform/access/access-context.ts'
import { inBuilds } from '#code/pipelines/abilities.ts'

export const jobAbilities = {
  project: {
    /** Cancel, retry and start jobs. */
    update_job: inBuilds(unlessArchived(atLeast('developer'))),
    /** Those of others, too. */
    erase_job: inBuilds(unlessArchived(atLeast('maintainer'))),
  },
} satisfies Abilities

declare module '#platform/access/abilities.ts' {
  interface ProjectAbilities extends RulesOf<typeof jobAbilities.project> {}
}
