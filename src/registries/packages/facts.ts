import { type AuditedFacts, event, namedTarget } from '#platform/facts/audited.ts'
import { type DetailsOf, fact } from '#platform/facts/definitions.ts'

interface AboutPackage {
  /** Its name, and its version after a slash. */
  readonly package: string
}

interface AboutPackageFile extends AboutPackage {
  readonly file: string
}

export const packageFacts = {
  'package published': fact<AboutPackage>(),
  'package deleted': fact<AboutPackage>(),
  'package file deleted': fact<AboutPackageFile>(),
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
}
