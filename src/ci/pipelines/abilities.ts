import type { Abilities, RulesOf } from '#platform/access/abilities.ts'
import { atLeast, readers, type Rule, unlessArchived } from '#platform/access/access-context.ts'
import { inProjectFeature } from '#platform/access/project-feature-rules.ts'

/** Everybody who may see the project, unless its settings leave pipelines to Reporters. */
const pipelineReaders: Rule = (s) => readers(s) && (s.publicJobs !== false || atLeast('reporter')(s))

/** Pipelines close with the repository, and with what builds it. */
export const inBuilds = (rule: Rule): Rule => inProjectFeature('builds', inProjectFeature('repository', rule))

export const pipelineAbilities = {
  project: {
    /** Pipelines, their jobs, logs and reports. */
    read_pipeline: inBuilds(pipelineReaders),
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
