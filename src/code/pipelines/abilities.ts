import type { Abilities, RulesOf } from '#platform/access/abilities.ts'
import { atLeast, readers, type Rule } from '#platform/access/access-context.ts'
import { inProjectFeature } from '#platform/access/project-feature-rules.ts'

/** Everybody who may see the project, unless its settings leave pipelines to Reporters. */
const pipelineReaders: Rule = (s) => readers(s) && (s.publicJobs !== false || atLeast('reporter')(s))

/** Pipelines close with the repository, and with what builds it. */
export const inBuilds = (rule: Rule): Rule => inProjectFeature('builds', inProjectFeature('repository', rule))

export const readPipelineAbilities = {
  project: {
    /** Pipelines, their jobs, logs and reports. */
    read_pipeline: inBuilds(pipelineReaders),
  },
} satisfies Abilities

declare module '#platform/access/abilities.ts' {
  interface ProjectAbilities extends RulesOf<typeof readPipelineAbilities.project> {}
}
