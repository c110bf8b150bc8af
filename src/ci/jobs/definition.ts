import { sql } from 'kysely'
import type { ChosenJob, ChosenVariable } from '../config/chosen.ts'
import type { JobEnvironment, Trigger } from '../config/configuration.ts'
import type { Json } from '../config/values.ts'

/** What the file says of a job, beside the columns of its row, as `ci_job_definitions.definition` holds it. */
export type JobDefinition = Pick<
  ChosenJob,
  'allowFailure' | 'crossNeeds' | 'dependencies' | 'copy' | 'coverage'
> & {
  readonly variables: readonly ChosenVariable[]
  /** With what each need says of artifacts. */
  readonly needs?: ChosenJob['needs']
  readonly trigger?: Trigger
  readonly environment?: JobEnvironment
  readonly options: { readonly [keyword: string]: Json }
}

/** The definition of a job as it is stored. */
export const definitionOf = (job: ChosenJob): JobDefinition => ({
  allowFailure: job.allowFailure,
  crossNeeds: job.crossNeeds,
  dependencies: job.dependencies,
  copy: job.copy,
  coverage: job.coverage,
  variables: job.variables,
  needs: job.needs,
  ...(job.trigger && { trigger: job.trigger }),
  ...(job.environment && { environment: job.environment }),
  options: job.options,
})

/** The definition of a row, where `ci_job_definitions` is joined as `d`. Only {@link definitionOf} fills it. */
export const definitionColumn = sql<JobDefinition>`d.definition`
