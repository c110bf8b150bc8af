import { type AuditedFacts, event, namedTarget } from '#platform/facts/audited.ts'
import { type DetailsOf, fact } from '#platform/facts/definitions.ts'

interface AboutSecureFile {
  readonly file: string
}

export const secureFileFacts = {
  'secure file created': fact<AboutSecureFile>(),
  'secure file deleted': fact<AboutSecureFile>(),
}

declare module '#platform/facts/fact.ts' {
  interface Facts extends DetailsOf<typeof secureFileFacts> {}
}

export const auditedSecureFile: AuditedFacts = {
  'secure file created': event('secure_file_created', ({ target, details }) => ({
    ...namedTarget(target, details.file),
    details: { add: 'secure_file' },
  })),
  'secure file deleted': event('secure_file_deleted', ({ target, details }) => ({
    ...namedTarget(target, details.file),
    details: { remove: 'secure_file' },
  })),
}
