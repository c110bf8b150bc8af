import { type DetailsOf, fact } from '#platform/facts/definitions.ts'

interface AboutSchedule {
  readonly description: string
}

export const pipelineScheduleFacts = {
  'pipeline schedule created': fact<AboutSchedule>(),
  'pipeline schedule changed': fact<AboutSchedule>(),
  'pipeline schedule deleted': fact<AboutSchedule>(),
}

declare module '#platform/facts/fact.ts' {
  interface Facts extends DetailsOf<typeof pipelineScheduleFacts> {}
}
