import { activity, type DetailsOf } from '#platform/facts/definitions.ts'

/** A page as it was when somebody changed it: readers of the fact can no longer look it up. */
export interface PageFact {
  readonly action: 'created' | 'updated' | 'deleted'
  readonly slug: string
  readonly title: string
}

export const wikiFacts = {
  'wiki page created': activity<PageFact>(),
  'wiki page updated': activity<PageFact>(),
  'wiki page deleted': activity<PageFact>(),
}

declare module '#platform/facts/fact.ts' {
  interface Facts extends DetailsOf<typeof wikiFacts> {}
}
