import { type DetailsOf, fact, type Nothing } from '#platform/facts/definitions.ts'

export const exportFacts = {
  'project export requested': fact<Nothing>(),
}

declare module '#platform/facts/fact.ts' {
  interface Facts extends DetailsOf<typeof exportFacts> {}
}
