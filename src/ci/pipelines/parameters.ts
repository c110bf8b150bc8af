import { Type } from 'typebox'
import type { CiStatus } from '#platform/db/schema.ts'
import { orderParameters } from '#platform/http/order.ts'
import { ById, flag, hash, integer, list, moment, oneOf, text } from '#platform/http/schema.ts'
import { statuses } from '#code/pipelines/entity.ts'
import { pipelineOrder } from './order.ts'

export const ByPipeline = Type.Object({ ...ById.properties, pipeline_id: integer() })

const sources = [
  'unknown',
  'push',
  'web',
  'trigger',
  'schedule',
  'api',
  'external',
  'pipeline',
  'chat',
  'webide',
  'merge_request_event',
  'external_pull_request_event',
  'parent_pipeline',
  'ondemand_dast_scan',
  'ondemand_dast_validation',
  'security_orchestration_policy',
  'container_registry_push',
  'duo_workflow',
  'pipeline_execution_policy_schedule',
] as const

export const PipelineFilter = Type.Object({
  ...orderParameters(pipelineOrder),
  scope: Type.Optional(oneOf(['running', 'pending', 'finished', 'branches', 'tags'])),
  status: Type.Optional(oneOf<CiStatus>(statuses)),
  ref: Type.Optional(text({ max: 1_024, description: 'A branch or tag.' })),
  sha: Type.Optional(text({ max: 64 })),
  yaml_errors: Type.Optional(flag({ description: 'Whether their configuration was wrong.' })),
  username: Type.Optional(text({ description: 'Who started them.' })),
  updated_after: Type.Optional(moment()),
  updated_before: Type.Optional(moment()),
  created_after: Type.Optional(moment()),
  created_before: Type.Optional(moment()),
  source: Type.Optional(oneOf(sources)),
  name: Type.Optional(text()),
})

export const LatestPipeline = Type.Object({
  ref: Type.Optional(text({ max: 1_024, description: 'A branch or tag; by default the default branch.' })),
})

/** A variable that somebody starts something with. */
export const GivenVariableBody = Type.Object({
  key: text({ filled: true }),
  value: text({ max: 10_000 }),
  variable_type: Type.Optional(oneOf(['env_var', 'file'])),
})

export const NewPipelineBody = Type.Object({
  ref: text({ max: 1_024, filled: true, description: 'The branch or tag.' }),
  variables: Type.Optional(list(GivenVariableBody)),
  inputs: Type.Optional(
    hash(text({ max: 1_000 }), { description: 'Values of the inputs of the configuration.' }),
  ),
})

export const PipelineMetadata = Type.Object({ name: text({ filled: true }) })
