import { activity, type DetailsOf } from '#platform/facts/definitions.ts'

export const forkFacts = {
  /** In the fork; also for a relation that was made between projects. */
  'project forked': activity<{ source_id: number; source_path: string }>(),
  'fork relation removed': activity<{ source_id: number }>(),
}

declare module '#platform/facts/fact.ts' {
  interface Facts extends DetailsOf<typeof forkFacts> {}
}
