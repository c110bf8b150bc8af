import {
  type AuditedFacts,
  changeEventNames,
  changeEvents,
  event,
  eventForEach,
  namedTarget,
} from '#platform/facts/audited.ts'
import type { FieldChanges } from '#platform/facts/changes.ts'
import { fact, type DetailsOf } from '#platform/facts/definitions.ts'

/** The key that programs report with. It is no secret. */
interface Key {
  readonly public_key: string
}

/** An error as people know it. */
interface OfError {
  readonly title: string
}

/** What a program reported. */
interface News extends OfError {
  readonly culprit: string | null
  readonly project_id: number
  /** Whether mails tell of it by itself. */
  readonly mails: boolean
}

export const errorTrackingFacts = {
  'error tracking changed': fact<FieldChanges>(),
  'error tracking key created': fact<Key>(),
  'error tracking key deleted': fact<Key>(),
  /** Events came that are like none before. */
  'error found': fact<News & { readonly level: string }>(),
  /** It happened again although it was resolved. */
  'error reopened': fact<News & { readonly release: string | null }>(),
  /** So many more in an hour than mails told of. */
  'more errors found': fact<{ readonly project_id: number; readonly count: number }>(),
  'error resolved': fact<OfError & { readonly release: string | null }>(),
  'error ignored': fact<OfError>(),
  'error unresolved': fact<OfError>(),
}

declare module '#platform/facts/fact.ts' {
  interface Facts extends DetailsOf<typeof errorTrackingFacts> {}
}

const NAME = 'error_tracking'

export const auditedErrorTracking: AuditedFacts = {
  'error tracking changed': eventForEach(changeEventNames(NAME, {}), ({ target, details }) =>
    changeEvents(NAME, {}, details, namedTarget(target, 'error tracking')),
  ),
  'error tracking key created': event('error_tracking_key_created', ({ target, details }) => ({
    ...namedTarget(target, details.public_key),
    details: { add: 'error tracking key', custom_message: 'Created a client key of error tracking' },
  })),
  'error tracking key deleted': event('error_tracking_key_deleted', ({ target, details }) => ({
    ...namedTarget(target, details.public_key),
    details: { remove: 'error tracking key', custom_message: 'Deleted a client key of error tracking' },
  })),
}
