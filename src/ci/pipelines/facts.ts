import type { CiStatus } from '#platform/db/schema.ts'
import { type AuditedFacts, event, namedTarget, says } from '#platform/facts/audited.ts'
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
  /** `user_id`: who it runs for; `fixed`: the one before it on the branch failed. */
  'pipeline finished': fact<{
    status: 'success' | 'failed'
    fixed: boolean
    user_id: number
    ref: string
    sha: string
    /** The merge request whose changes it tests. */
    merge_request_id: number | null
  }>(),
  'pipeline deleted': fact<AboutPipeline>(),
}

declare module '#platform/facts/fact.ts' {
  interface Facts extends DetailsOf<typeof pipelineFacts> {}
}

export const auditedPipeline: AuditedFacts = {
  'pipeline deleted': event('destroy_pipeline', ({ target, details }) => ({
    ...namedTarget(target, String(target?.id ?? '')),
    ...says(`Deleted pipeline in ${details.ref} with SHA ${details.sha}`),
  })),
}
