import { type AuditedFacts, event, namedTarget } from '#platform/facts/audited.ts'
import type { FieldChanges } from '#platform/facts/changes.ts'
import { type DetailsOf, fact } from '#platform/facts/definitions.ts'
import type { ReleaseLinkType } from '#platform/db/schema.ts'

/** A release as it was when it went: readers of the fact can no longer look it up. */
export interface DeletedRelease {
  readonly tag: string
  readonly name: string
  readonly description: string | null
  readonly sha: string
  readonly created_at: string
  readonly released_at: string
  readonly links: readonly DeletedLink[]
}

interface DeletedLink {
  readonly id: number
  readonly name: string
  readonly url: string
  readonly link_type: ReleaseLinkType
}

export const releaseFacts = {
  'release created': fact<{ tag: string }>(),
  /** People hear of it by mail. */
  'release published': fact<{ tag: string; name: string; description: string | null }>(),
  'release changed': fact<{ tag: string } & FieldChanges>(),
  'release deleted': fact<DeletedRelease>(),
}

declare module '#platform/facts/fact.ts' {
  interface Facts extends DetailsOf<typeof releaseFacts> {}
}

export const auditedReleases: AuditedFacts = {
  'release created': event('release_created_audit_event', ({ target, details }) => ({
    ...namedTarget(target, details.tag),
    details: { add: 'release' },
  })),
  'release changed': event('release_updated_audit_event', ({ target, details }) => ({
    ...namedTarget(target, details.tag),
    details: { change: 'release' },
  })),
  'release deleted': event('release_deleted_audit_event', ({ target, details }) => ({
    ...namedTarget(target, details.tag),
    details: { remove: 'release' },
  })),
}
