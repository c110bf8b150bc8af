import type { CiStatus } from '#platform/db/schema.ts'
import { type DetailsOf, fact } from '#platform/facts/definitions.ts'

/** A pipeline by its number in the project, and what it is for. */
export interface AboutPipeline {
  readonly iid: number
  readonly ref: string
  readonly sha: string
  readonly source: string
  readonly merge_request_id: number | null
}

export const pipelineFacts = {
  'pipeline created': fact<AboutPipeline & { readonly status: CiStatus }>(),
  'pipeline status changed': fact<AboutPipeline & { readonly from: CiStatus; readonly to: CiStatus }>(),
  'pipeline deleted': fact<AboutPipeline>(),
}

declare module '#platform/facts/fact.ts' {
  interface Facts extends DetailsOf<typeof pipelineFacts> {}
}
