import { type DetailsOf, fact } from '#platform/facts/definitions.ts'

/**
 * Domain events that nothing but notifications needs.
 */
export const notificationFacts = {
  /** The daily job found that it is due tomorrow. */
  'issue due': fact<{ due_date: string }>(),
}

declare module '#platform/facts/fact.ts' {
  interface Facts extends DetailsOf<typeof notificationFacts> {}
}
