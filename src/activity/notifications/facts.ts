import { type DetailsOf, fact } from '#platform/facts/definitions.ts'

/**
 * Domain events that nothing but notifications needs. Those of releases will move to the feature that brings them.
 */
export const notificationFacts = {
  /** The daily job found that it is due tomorrow. */
  'issue due': fact<{ due_date: string }>(),
  'release published': fact<{ tag: string; name: string; description: string | null }>(),
}

declare module '#platform/facts/fact.ts' {
  interface Facts extends DetailsOf<typeof notificationFacts> {}
}
