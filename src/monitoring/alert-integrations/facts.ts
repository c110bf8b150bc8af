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

interface IntegrationName {
  readonly integration: string
}

export const alertIntegrationFacts = {
  'alert integration created': fact<IntegrationName & { type: string }>(),
  'alert integration changed': fact<IntegrationName & FieldChanges>(),
  'alert integration key reset': fact<IntegrationName>(),
  'alert integration deleted': fact<IntegrationName>(),
  'alert settings changed': fact<FieldChanges>(),
}

declare module '#platform/facts/fact.ts' {
  interface Facts extends DetailsOf<typeof alertIntegrationFacts> {}
}

/** The namespace and target of a domain event about an integration. */
export const aboutIntegration = (id: number, namespace: number) => ({
  namespace,
  target: { type: 'AlertManagement::HttpIntegration', id },
})

export const auditedAlertIntegration: AuditedFacts = {
  'alert integration created': event('alert_integration_created', ({ target, details }) => ({
    ...namedTarget(target, details.integration),
    details: {
      add: 'alert integration',
      custom_message: `Created the alert integration ${details.integration} of type ${details.type}`,
    },
  })),
  'alert integration changed': eventForEach(
    changeEventNames('alert_integration', {}),
    ({ target, details }) =>
      changeEvents('alert_integration', {}, details, namedTarget(target, details.integration)),
  ),
  'alert integration key reset': event('alert_integration_key_reset', ({ target, details }) => ({
    ...namedTarget(target, details.integration),
    details: { custom_message: `Made a new key for the alert integration ${details.integration}` },
  })),
  'alert integration deleted': event('alert_integration_deleted', ({ target, details }) => ({
    ...namedTarget(target, details.integration),
    details: {
      remove: 'alert integration',
      custom_message: `Deleted the alert integration ${details.integration}`,
    },
  })),
  'alert settings changed': eventForEach(changeEventNames('alert_settings', {}), ({ details }) =>
    changeEvents('alert_settings', {}, details),
  ),
}
