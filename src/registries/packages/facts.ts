import { type AuditedFacts, event, namedTarget } from '#platform/facts/audited.ts'
import { type DetailsOf, fact } from '#platform/facts/definitions.ts'

interface AboutPackage {
  /** Its name, and its version after a slash. */
  readonly package: string
}

interface AboutPackageFile extends AboutPackage {
  readonly file: string
}

interface AboutPackageRule {
  readonly pattern: string
}

export const packageFacts = {
  'package published': fact<AboutPackage>(),
  'package deleted': fact<AboutPackage>(),
  'package file deleted': fact<AboutPackageFile>(),
  'package rule created': fact<AboutPackageRule>(),
  'package rule updated': fact<AboutPackageRule>(),
  'package rule deleted': fact<AboutPackageRule>(),
}

declare module '#platform/facts/fact.ts' {
  interface Facts extends DetailsOf<typeof packageFacts> {}
}

export const auditedPackage: AuditedFacts = {
  'package published': event('package_registry_package_published', ({ target, details }) => ({
    ...namedTarget(target, details.package),
    details: { add: 'package' },
  })),
  'package deleted': event('package_registry_package_deleted', ({ target, details }) => ({
    ...namedTarget(target, details.package),
    details: { remove: 'package' },
  })),
  'package file deleted': event('package_registry_package_file_deleted', ({ target, details }) => ({
    ...namedTarget(target, details.package),
    details: { remove: `package file ${details.file}` },
  })),
  'package rule created': event('package_protection_rule_created', ({ target, details }) => ({
    ...namedTarget(target, details.pattern),
    details: { add: 'package_protection_rule' },
  })),
  'package rule updated': event('package_protection_rule_updated', ({ target, details }) => ({
    ...namedTarget(target, details.pattern),
    details: { change: 'package_protection_rule' },
  })),
  'package rule deleted': event('package_protection_rule_deleted', ({ target, details }) => ({
    ...namedTarget(target, details.pattern),
    details: { remove: 'package_protection_rule' },
  })),
}
