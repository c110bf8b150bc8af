import { type DetailsOf, fact } from '#platform/facts/definitions.ts'

/**
 * Domain events that nothing but notifications needs. Those of pipelines and releases will move to the features that
 * bring them.
 */
export const notificationFacts = {
  /** The daily job found that it is due tomorrow. */
  'issue due': fact<{ due_date: string }>(),
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
  'release published': fact<{ tag: string; name: string; description: string | null }>(),
}

declare module '#platform/facts/fact.ts' {
  interface Facts extends DetailsOf<typeof notificationFacts> {}
}
