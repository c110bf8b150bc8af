import { type AuditedFacts, event, namedTarget } from '#platform/facts/audited.ts'
import { type DetailsOf, fact } from '#platform/facts/definitions.ts'

interface AboutUpload {
  readonly file: string
}

export const uploadFacts = {
  'upload created': fact<AboutUpload>(),
  'upload deleted': fact<AboutUpload>(),
}

declare module '#platform/facts/fact.ts' {
  interface Facts extends DetailsOf<typeof uploadFacts> {}
}

/** Everybody who writes texts uploads files; only who takes one from them is worth an event. */
export const auditedUploads: AuditedFacts = {
  'upload deleted': event('upload_deleted', ({ target, details }) => ({
    ...namedTarget(target, details.file),
    details: { remove: 'upload' },
  })),
}
