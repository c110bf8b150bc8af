import {
  type AuditedFacts,
  changeEventNames,
  changeEvents,
  event,
  eventForEach,
  namedTarget,
} from '#platform/facts/audited.ts'
import type { FieldChanges } from '#platform/facts/changes.ts'
import { type DetailsOf, fact } from '#platform/facts/definitions.ts'

interface AboutSchedule {
  readonly description: string
}

export const pipelineScheduleFacts = {
  'pipeline schedule created': fact<AboutSchedule>(),
  'pipeline schedule changed': fact<AboutSchedule & FieldChanges>(),
  'pipeline schedule deleted': fact<AboutSchedule>(),
}

declare module '#platform/facts/fact.ts' {
  interface Facts extends DetailsOf<typeof pipelineScheduleFacts> {}
}

const NOUN = 'pipeline_schedule'

export const auditedSchedule: AuditedFacts = {
  'pipeline schedule created': event(`${NOUN}_created`, ({ target, details }) => ({
    ...namedTarget(target, details.description),
    details: { add: NOUN },
  })),
  'pipeline schedule changed': eventForEach(changeEventNames(NOUN, {}), ({ target, details }) =>
    changeEvents(NOUN, {}, details, namedTarget(target, details.description)),
  ),
  'pipeline schedule deleted': event(`${NOUN}_deleted`, ({ target, details }) => ({
    ...namedTarget(target, details.description),
    details: { remove: NOUN },
  })),
}
