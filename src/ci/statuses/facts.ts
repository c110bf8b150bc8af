import { type DetailsOf, fact } from '#platform/facts/definitions.ts'

export const commitStatusFacts = {
  'commit status set': fact<{ sha: string; ref: string; check: string; state: string }>(),
}

declare module '#platform/facts/fact.ts' {
  interface Facts extends DetailsOf<typeof commitStatusFacts> {}
}
