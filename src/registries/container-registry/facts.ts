import { type AuditedFacts, event, namedTarget } from '#platform/facts/audited.ts'
import { type DetailsOf, fact } from '#platform/facts/definitions.ts'

interface AboutRepository {
  /** What follows the project's path; blank for the project's own. */
  readonly repository: string
}
interface AboutTag extends AboutRepository {
  readonly tag: string
}
interface AboutRule {
  readonly pattern: string
}

export const containerRegistryFacts = {
  'container repository created': fact<AboutRepository>(),
  'container repository deleted': fact<AboutRepository>(),
  'container tag pushed': fact<AboutTag & { readonly digest: string }>(),
  'container tag deleted': fact<AboutTag>(),
  'container rule created': fact<AboutRule>(),
  'container rule updated': fact<AboutRule>(),
  'container rule deleted': fact<AboutRule>(),
}

declare module '#platform/facts/fact.ts' {
  interface Facts extends DetailsOf<typeof containerRegistryFacts> {}
}

export const auditedContainerRegistry: AuditedFacts = {
  'container repository deleted': event('container_repository_deleted', ({ target, details }) => ({
    ...namedTarget(target, details.repository),
    details: { remove: 'container_repository' },
  })),
  'container tag deleted': event('container_repository_tag_deleted', ({ target, details }) => ({
    ...namedTarget(target, details.tag),
    details: { remove: 'container_tag' },
  })),
  'container rule created': event('container_protection_rule_created', ({ target, details }) => ({
    ...namedTarget(target, details.pattern),
    details: { add: 'container_protection_rule' },
  })),
  'container rule updated': event('container_protection_rule_updated', ({ target, details }) => ({
    ...namedTarget(target, details.pattern),
    details: { change: 'container_protection_rule' },
  })),
  'container rule deleted': event('container_protection_rule_deleted', ({ target, details }) => ({
    ...namedTarget(target, details.pattern),
    details: { remove: 'container_protection_rule' },
  })),
}
