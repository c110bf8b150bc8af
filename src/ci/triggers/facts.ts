import { type DetailsOf, fact } from '#platform/facts/definitions.ts'

interface AboutTrigger {
  readonly description: string
}

export const triggerFacts = {
  'pipeline trigger created': fact<AboutTrigger>(),
  'pipeline trigger changed': fact<AboutTrigger>(),
  'pipeline trigger deleted': fact<AboutTrigger>(),
}

declare module '#platform/facts/fact.ts' {
  interface Facts extends DetailsOf<typeof triggerFacts> {}
}
