import type { Abilities, RulesOf } from '#platform/access/abilities.ts'
import { atLeast, unlessArchived } from '#platform/access/access-context.ts'
import { inBuilds } from '#code/pipelines/abilities.ts'

export const pipelineAbilities = {
  project: {
    /** For branches and tags that they may push to or merge into. */
    create_pipeline: inBuilds(unlessArchived(atLeast('developer'))),
    /** Cancel, retry, name. */
    update_pipeline: inBuilds(unlessArchived(atLeast('developer'))),
    /** What a pipeline was started with may be secret. Whoever started it may see it, too. */
    read_pipeline_variable: inBuilds(atLeast('maintainer')),
    delete_pipeline: inBuilds(unlessArchived(atLeast('owner'))),
  },
} satisfies Abilities

declare module '#platform/access/abilities.ts' {
  interface ProjectAbilities extends RulesOf<typeof pipelineAbilities.project> {}
}
