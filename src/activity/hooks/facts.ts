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

interface HookName {
  /** The name of the webhook, or else its URL without the values of its variables. */
  readonly hook: string
}

export const hookFacts = {
  'webhook created': fact<HookName>(),
  'webhook changed': fact<HookName & FieldChanges>(),
  'webhook deleted': fact<HookName>(),
  /** Too many deliveries failed. */
  'webhook disabled': fact<HookName>(),
}

declare module '#platform/facts/fact.ts' {
  interface Facts extends DetailsOf<typeof hookFacts> {}
}

export const auditedHook: AuditedFacts = {
  'webhook created': event('create_webhook', ({ target, details: { hook } }) => ({
    ...namedTarget(target, hook),
    details: { add: 'webhook', custom_message: `Created webhook ${hook}` },
  })),
  'webhook changed': eventForEach(changeEventNames('webhook', {}), ({ target, details }) =>
    changeEvents('webhook', {}, details, namedTarget(target, details.hook)),
  ),
  'webhook deleted': event('destroy_webhook', ({ target, details: { hook } }) => ({
    ...namedTarget(target, hook),
    details: { remove: 'webhook', custom_message: `Deleted webhook ${hook}` },
  })),
}
