import type { Selectable } from 'kysely'
import { type Static, Type } from 'typebox'
import type { ErrorTrackingKeys, ErrorTrackingSettings } from '#platform/db/schema.ts'
import { entity, flag, integer, nullable } from '#platform/http/schema.ts'

const external = (description: string) => nullable(Type.String({ description }))

/** Error tracking of a project as the API presents it. */
export const ErrorTracking = entity('ErrorTrackingSettings', {
  active: flag({ description: 'Whether events are accepted.' }),
  integrated: flag({ description: 'Whether this server tracks the errors itself.' }),
  project_name: external('Always null: there is no other tracker.'),
  tracker_external_url: external('Always null: there is no other tracker.'),
  sentry_external_url: external('The same as `tracker_external_url`.'),
  api_url: external('Always null: there is no other tracker.'),
  scrub_personal_data: flag({
    description: "Whether personal data is taken out of events when they arrive. Forgelet's own.",
  }),
})

/** What a program needs to report errors of a project. */
export const ClientKey = entity('ErrorTrackingClientKey', {
  id: integer(),
  active: flag({ description: 'Whether it works; always true.' }),
  public_key: Type.String(),
  tracker_dsn: Type.String({ description: 'The URL that an SDK of Sentry is given.' }),
  sentry_dsn: Type.String({ description: 'The same as `tracker_dsn`.' }),
})

/** A row of settings. */
export type TrackingRow = Pick<Selectable<ErrorTrackingSettings>, 'active' | 'integrated' | 'scrubs'>
/** A row of a client key. */
export type KeyRow = Pick<Selectable<ErrorTrackingKeys>, 'id' | 'project_id' | 'public_key'>

export const trackingColumns = ['active', 'integrated', 'scrubs'] as const
export const keyColumns = ['id', 'project_id', 'public_key'] as const

export const presentTracking = ({
  active,
  integrated,
  scrubs,
}: TrackingRow): Static<typeof ErrorTracking> => ({
  active,
  integrated,
  project_name: null,
  tracker_external_url: null,
  sentry_external_url: null,
  api_url: null,
  scrub_personal_data: scrubs,
})

/** The path below which SDKs report. They append `/api/:project_id/envelope/`. */
export const COLLECTOR = '/api/v4/error_tracking/collector'

/** @param site the base of the URLs that clients use. */
export function presentKey(site: string, { id, project_id, public_key }: KeyRow): Static<typeof ClientKey> {
  const dsn = `${site.replace('://', `://${public_key}@`)}${COLLECTOR}/${project_id}`
  return { id, active: true, public_key, tracker_dsn: dsn, sentry_dsn: dsn }
}
