import type { FieldChanges } from '#platform/facts/changes.ts'
import { type DetailsOf, fact } from '#platform/facts/definitions.ts'

interface Period {
  readonly freeze_start: string
  readonly freeze_end: string
  readonly cron_timezone: string
}

export const freezePeriodFacts = {
  'freeze period created': fact<Period>(),
  'freeze period changed': fact<FieldChanges>(),
  'freeze period deleted': fact<Period>(),
}

declare module '#platform/facts/fact.ts' {
  interface Facts extends DetailsOf<typeof freezePeriodFacts> {}
}
