import { Type } from 'typebox'
import type { CiStatus } from '#platform/db/schema.ts'
import { orderParameters, pageParameters } from '#platform/http/order.ts'
import { ById, flag, integer, list, oneOf, text } from '#platform/http/schema.ts'
import { statuses } from '#code/pipelines/entity.ts'
import { jobOrder } from './order.ts'

export const ByJob = Type.Object({ ...ById.properties, job_id: integer() })

export const ByPipeline = Type.Object({ ...ById.properties, pipeline_id: integer() })

const scope = Type.Optional(
  list(oneOf<CiStatus>(statuses), { comma: true, description: 'Only jobs with one of these statuses.' }),
)

const with_needs = flag({
  default: false,
  description: 'Adds `needs` to jobs. GitLab has no such parameter.',
})

export const ProjectJobsFilter = Type.Object({ ...orderParameters(jobOrder), scope })
export const PipelineJobsFilter = Type.Object({
  ...pageParameters,
  scope,
  include_retried: flag({ default: false, description: 'Also those that a later run has replaced.' }),
  with_needs,
})
export const BridgesFilter = Type.Object({ ...pageParameters, scope, with_needs })

export const PlayedJob = Type.Object({
  job_variables_attributes: Type.Optional(
    list(Type.Object({ key: text({ filled: true }), value: text({ max: 10_000 }) }), {
      description: 'Variables for this run alone.',
    }),
  ),
})
export const CanceledJob = Type.Object({
  force: Type.Optional(flag({ description: 'Ends a job that is being canceled at once.' })),
})
