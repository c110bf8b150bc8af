import { inBuilds } from '#code/pipelines/abilities.ts'
import type { Abilities, RulesOf } from '#platform/access/abilities.ts'
import { atLeast, unlessArchived } from '#platform/access/access-context.ts'

export const triggerAbilities = {
  project: {
    read_pipeline_trigger: inBuilds(atLeast('maintainer')),
    admin_pipeline_trigger: inBuilds(unlessArchived(atLeast('maintainer'))),
  },
} satisfies Abilities

declare module '#platform/access/abilities.ts' {
  interface ProjectAbilities extends RulesOf<typeof triggerAbilities.project> {}
}
