import { type Static, Type } from 'typebox'
import { flat } from '#platform/http/flat.ts'
import { count, entity, integer, moment, nullable, oneOf } from '#platform/http/schema.ts'
import { iso } from '#platform/http/time.ts'
import type { ReducedEvent } from '../collector/event.ts'
import { levels } from '../collector/event.ts'
import { LatestEvent, presentEvent } from './event-entity.ts'
import { errorStatuses } from './parameters.ts'

const brief = {
  id: integer(),
  title: Type.String(),
  type: nullable(Type.String({ description: 'The type of the exception; null for a message.' })),
  culprit: nullable(Type.String({ description: 'Where it happened.' })),
  level: oneOf(levels),
  platform: nullable(Type.String()),
  status: oneOf(errorStatuses),
  resolved_in_release: nullable(Type.String()),
  status_changed_at: nullable(moment()),
  events_count: count({ description: 'How many events there were.' }),
  users_count: count({ description: 'How many people were affected, up to 10,001.' }),
  first_seen_at: moment(),
  last_seen_at: moment(),
  reopened_at: nullable(moment({ description: 'When it last happened again after it was resolved.' })),
  issue: Type.Unsafe<{ iid: number; web_url: string } | null>({
    type: ['object', 'null'],
    description: 'The issue that it is linked to.',
    properties: { iid: { type: 'integer' }, web_url: { type: 'string' } },
    required: ['iid', 'web_url'],
  }),
  web_url: Type.String(),
}

const Place = Type.Object({
  name: Type.String(),
  events_count: count(),
  first_seen_at: moment(),
  last_seen_at: moment(),
})

/** An error in a list. */
export const ErrorBrief = entity('TrackedError', brief)

/** An error with where and when it happened, and with an event. */
export const ErrorWhole = entity('ErrorDetails', {
  ...brief,
  releases: Type.Array(Place, { description: 'Those in which it was seen last, at most 100.' }),
  environments: Type.Array(Place, { description: 'Those in which it was seen last, at most 100.' }),
  hours: Type.Array(Type.Object({ hour: moment(), events_count: count() }), {
    description: 'How many events came in each hour of the last seven days that had some.',
  }),
  latest_event: LatestEvent,
})

export interface ErrorRow {
  readonly id: number
  readonly title: string
  readonly type: string | null
  readonly culprit: string | null
  readonly level: string
  readonly platform: string | null
  readonly status: string
  readonly resolved_in_release: string | null
  readonly status_changed_at: string | null
  readonly events_count: number
  readonly users_count: number
  readonly first_seen_at: string
  readonly last_seen_at: string
  readonly reopened_at: string | null
  readonly issue_iid: number | null
}

/** Where the errors are. */
export interface At {
  readonly site: string
  readonly project: { readonly id: number; readonly full_path: string }
  /** Whether the caller sees issues there. */
  readonly issues: boolean
}

const known = <T extends string>(values: readonly T[], value: string, otherwise: T): T =>
  values.find((one) => one === value) ?? otherwise

/** The page of an error. */
export const pageOf = (projectId: number, id?: number): string =>
  `/-/projects/${projectId}/error_tracking${id === undefined ? '' : `/${id}`}`

export function presentError(row: ErrorRow, { site, project, issues }: At): Static<typeof ErrorBrief> {
  const { issue_iid } = row
  const linked = issue_iid !== null && issues
  const optional = (timestamp: string | null) => (timestamp === null ? null : iso(timestamp))
  return {
    id: row.id,
    title: row.title,
    type: row.type,
    culprit: row.culprit,
    level: known(levels, row.level, 'error'),
    platform: row.platform,
    status: known(errorStatuses, row.status, 'unresolved'),
    resolved_in_release: row.resolved_in_release,
    status_changed_at: optional(row.status_changed_at),
    events_count: row.events_count,
    users_count: row.users_count,
    first_seen_at: iso(row.first_seen_at),
    last_seen_at: iso(row.last_seen_at),
    reopened_at: optional(row.reopened_at),
    issue: linked
      ? { iid: issue_iid, web_url: flat`${site}/${project.full_path}/-/issues/${issue_iid}` }
      : null,
    web_url: flat`${site}${pageOf(project.id, row.id)}`,
  }
}

interface PlaceRow {
  readonly kind: string
  readonly name: string
  readonly events_count: number
  readonly first_seen_at: string
  readonly last_seen_at: string
}

/** What is known of an error besides its row. */
export interface Details {
  readonly places: readonly PlaceRow[]
  readonly hours: readonly { readonly hour: string; readonly events_count: number }[]
  readonly latest: ReducedEvent | null
}

export function presentWhole(row: ErrorRow, details: Details, at: At): Static<typeof ErrorWhole> {
  const placesOf = (wanted: string) =>
    details.places
      .filter(({ kind }) => kind === wanted)
      .map(({ name, events_count, first_seen_at, last_seen_at }) => ({
        name,
        events_count,
        first_seen_at: iso(first_seen_at),
        last_seen_at: iso(last_seen_at),
      }))
  return {
    ...presentError(row, at),
    releases: placesOf('release'),
    environments: placesOf('environment'),
    hours: details.hours.map(({ hour, events_count }) => ({ hour: iso(hour), events_count })),
    latest_event: details.latest === null ? null : presentEvent(details.latest),
  }
}
