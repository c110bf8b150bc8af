import type { JobDefinition } from '../jobs/definition.ts'

/** A job that something has to be done for before it runs. */
export interface PreparedJob {
  readonly id: number
  readonly name: string
  readonly user_id: number | null
  readonly deployment_id: number | null
  readonly definition: JobDefinition
  readonly pipeline_id: number
  readonly project_id: number
  readonly ref: string
  readonly tag: boolean
  readonly sha: string
  readonly source: string
  readonly is_child: boolean
}
