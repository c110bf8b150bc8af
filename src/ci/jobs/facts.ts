import type { CiStatus } from '#platform/db/schema.ts'
import { type DetailsOf, fact } from '#platform/facts/definitions.ts'

export interface AboutJob {
  readonly pipeline_id: number
  readonly job: string
  readonly stage: string
}

export const jobFacts = {
  /** A new job has `from` null. */
  'job status changed': fact<
    AboutJob & {
      readonly from: CiStatus | null
      readonly to: CiStatus
      readonly failure_reason: string | null
    }
  >(),
  'job erased': fact<AboutJob>(),
}

declare module '#platform/facts/fact.ts' {
  interface Facts extends DetailsOf<typeof jobFacts> {}
}
