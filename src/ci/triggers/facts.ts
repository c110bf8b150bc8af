import { type AuditedFacts, event, namedTarget, says } from '#platform/facts/audited.ts'
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

export const auditedTrigger: AuditedFacts = {
  'pipeline trigger created': event('pipeline_trigger_created', ({ target, details }) => ({
    ...namedTarget(target, details.description),
    details: { add: 'pipeline_trigger' },
  })),
  'pipeline trigger changed': event('pipeline_trigger_updated', ({ target, details }) => ({
    ...namedTarget(target, details.description),
    ...says('Changed the description of the trigger'),
  })),
  'pipeline trigger deleted': event('pipeline_trigger_deleted', ({ target, details }) => ({
    ...namedTarget(target, details.description),
    details: { remove: 'pipeline_trigger' },
  })),
}
