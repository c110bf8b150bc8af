import { fact, type DetailsOf } from '#platform/facts/definitions.ts'
import { type AuditedFacts, changeEventNames, changeEvents, eventForEach } from '#platform/facts/audited.ts'

export const namespaceFacts = {
  'namespace changed': fact<{ fields: readonly string[] }>(),
}

declare module '#platform/facts/fact.ts' {
  interface Facts extends DetailsOf<typeof namespaceFacts> {}
}

export const auditedNamespace: AuditedFacts = {
  'namespace changed': eventForEach(changeEventNames('namespace', {}), ({ details }) =>
    changeEvents('namespace', {}, details),
  ),
}
