import { inBuilds } from '#code/pipelines/abilities.ts'
import type { Abilities, RulesOf } from '#platform/access/abilities.ts'
import { atLeast, unlessArchived } from '#platform/access/access-context.ts'

export const pipelineScheduleAbilities = {
  project: {
    read_pipeline_schedule: inBuilds(atLeast('reporter')),
    /** For branches and tags that they may push to or merge into; and change their own. */
    create_pipeline_schedule: inBuilds(unlessArchived(atLeast('developer'))),
    /** Change and delete those of others, read their variables, and make them one's own. */
    admin_pipeline_schedule: inBuilds(unlessArchived(atLeast('maintainer'))),
  },
} satisfies Abilities

declare module '#platform/access/abilities.ts' {
  interface ProjectAbilities extends RulesOf<typeof pipelineScheduleAbilities.project> {}
}
