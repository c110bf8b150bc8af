import { atLeast } from '#platform/access/access-context.ts'
import type { AuthorizedProject } from '#platform/access/authorize.ts'
import type { Json } from '#platform/db/schema.ts'
import { forMaintainers } from '#tenancy/projects/project-settings.ts'
import type { NewPipeline, PipelineSource } from './new-pipeline.ts'

const { default: byDefault } = forMaintainers.ci_pipeline_variables_minimum_override_role
const roles = ['no_one_allowed', 'developer', 'maintainer', 'owner'] as const

/**
 * Whether somebody may give variables to pipelines and jobs of a project: `ci_pipeline_variables_minimum_override_role`
 * says from which role on. Such variables win over those that the project keeps.
 */
export function mayGiveVariables({ container, accessContext }: AuthorizedProject): boolean {
  const lowest = lowestRole(container.settings)
  return lowest !== 'no_one_allowed' && atLeast(lowest)(accessContext)
}

function lowestRole(settings: Json): (typeof roles)[number] {
  if (typeof settings !== 'object' || settings === null || Array.isArray(settings)) return byDefault
  const stored = settings['ci_pipeline_variables_minimum_override_role']
  return roles.find((role) => role === stored) ?? byDefault
}

/** A parent's variables were checked when it got them, and a schedule's when somebody wrote them. */
const checkedBefore: ReadonlySet<PipelineSource> = new Set(['parent_pipeline', 'schedule'])

/** Whether a pipeline is wanted with variables that somebody gives just now. */
export const givesVariables = ({ source, variables = [] }: NewPipeline): boolean =>
  variables.length > 0 && !checkedBefore.has(source)
