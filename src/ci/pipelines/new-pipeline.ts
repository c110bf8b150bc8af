import type { CiVariableType } from '#platform/db/schema.ts'
import type { Json } from '../config/values.ts'

/** What started a pipeline, as `CI_PIPELINE_SOURCE` says it. */
export type PipelineSource =
  | 'push'
  | 'web'
  | 'trigger'
  | 'schedule'
  | 'api'
  | 'pipeline'
  | 'parent_pipeline'
  | 'merge_request_event'

/** A variable that a pipeline is started with. */
export interface GivenVariable {
  readonly key: string
  readonly value: string
  readonly variable_type?: CiVariableType
  readonly raw?: boolean
}

/** A pipeline that somebody or something wants. */
export interface NewPipeline {
  readonly projectId: number
  /** The whole name: `refs/heads/main`, `refs/tags/v1`; of a merge request its source branch. */
  readonly ref: string
  /** By default where the reference is now. */
  readonly sha?: string
  /** Where it was before a push. */
  readonly before?: string
  readonly source: PipelineSource
  readonly userId: number
  readonly variables?: readonly GivenVariable[]
  /** What a trigger was called with. Jobs get it where the person may give variables. */
  readonly payload?: GivenVariable
  readonly inputs?: { readonly [name: string]: Json }
  /** Made once: a second pipeline of the same origin is not made. */
  readonly origin?: string
  readonly mergeRequestId?: number
  readonly scheduleId?: number
  readonly triggerId?: number
  readonly upstreamJobId?: number
  /** The pipeline whose child it is. */
  readonly parentId?: number
  /** The configuration of a child pipeline, instead of the project's file. */
  readonly content?: string
}
