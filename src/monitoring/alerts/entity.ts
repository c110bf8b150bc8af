import { type Static, Type } from 'typebox'
import { presentUserBasic, UserBasic, type UserBasicRow } from '#identity/users/basic.ts'
import { payloadKinds, severities, type Severity } from '#monitoring/alert-receiver/payload/report.ts'
import { flat } from '#platform/http/flat.ts'
import { entity, integer, moment, nullable, oneOf } from '#platform/http/schema.ts'
import { iso, isoOrNull } from '#platform/http/time.ts'
import { alertStatuses, type AlertStatus } from './parameters.ts'

const shared = {
  id: integer(),
  iid: integer(),
  project_id: integer(),
  title: Type.String(),
  description: nullable(Type.String()),
  severity: oneOf(severities),
  status: oneOf(alertStatuses),
  event_count: integer({ description: 'How often it was reported.' }),
  fingerprint: nullable(Type.String({ description: 'Null where none was given, or computed.' })),
  payload_kind: oneOf(payloadKinds),
  integration_id: nullable(integer()),
  issue_iid: nullable(integer({ description: 'The number of its incident.' })),
  assignees: Type.Array(UserBasic),
  service: nullable(Type.String()),
  monitoring_tool: nullable(Type.String()),
  hosts: Type.Array(Type.String()),
  environment: nullable(Type.String()),
  runbook: nullable(Type.String()),
  metrics_query: nullable(Type.String()),
  metrics_y_label: nullable(Type.String()),
  started_at: moment(),
  ended_at: nullable(moment()),
  last_event_at: moment(),
  created_at: moment(),
  updated_at: moment(),
  user_notes_count: integer(),
  web_url: Type.String(),
}

/** An alert in lists and to-dos. */
export const Alert = entity('Alert', shared)
/** An alert with all that its monitoring tool sent. */
export const AlertDetails = entity('AlertDetails', {
  ...shared,
  service_incident_markdown: nullable(Type.String()),
  payload: Type.Unsafe<unknown>({
    type: 'object',
    additionalProperties: true,
    description: 'As it came; of the metrics format one element of `alerts`.',
  }),
})

export interface AlertRow {
  readonly id: number
  readonly iid: number
  readonly project_id: number
  readonly namespace_id: number
  readonly full_path: string
  readonly title: string
  readonly description: string | null
  readonly severity: Severity
  readonly status: AlertStatus
  readonly events: number
  readonly fingerprint: string
  readonly fingerprinted: boolean
  readonly payload_kind: (typeof payloadKinds)[number]
  readonly integration_id: number | null
  readonly issue_iid: number | null
  readonly assignees: readonly UserBasicRow[]
  readonly service: string | null
  readonly monitoring_tool: string | null
  readonly hosts: readonly string[]
  readonly environment: string | null
  readonly runbook: string | null
  readonly query: string | null
  readonly y_label: string | null
  readonly started_at: string
  readonly ended_at: string | null
  readonly last_event_at: string
  readonly created_at: string
  readonly updated_at: string
  readonly notes_count: number
}

export function presentAlert(row: AlertRow, site: string): Static<typeof Alert> {
  const { id, iid, project_id, title, description, severity, status, payload_kind, integration_id } = row
  const { issue_iid, service, monitoring_tool, environment, runbook } = row
  return {
    id,
    iid,
    project_id,
    title,
    description,
    severity,
    status,
    event_count: row.events,
    fingerprint: row.fingerprinted ? row.fingerprint : null,
    payload_kind,
    integration_id,
    issue_iid,
    assignees: row.assignees.map((user) => presentUserBasic(user, site)),
    service,
    monitoring_tool,
    hosts: [...row.hosts],
    environment,
    runbook,
    metrics_query: row.query,
    metrics_y_label: row.y_label,
    started_at: iso(row.started_at),
    ended_at: isoOrNull(row.ended_at),
    last_event_at: iso(row.last_event_at),
    created_at: iso(row.created_at),
    updated_at: iso(row.updated_at),
    user_notes_count: row.notes_count,
    web_url: flat`${site}/${row.full_path}/-/alert_management/${iid}/details`,
  }
}

/** What {@link AlertDetails} has besides. */
export interface DetailedRow extends AlertRow {
  readonly incident_markdown: string | null
  readonly payload: unknown
}

export const presentDetails = (row: DetailedRow, site: string): Static<typeof AlertDetails> => ({
  ...presentAlert(row, site),
  service_incident_markdown: row.incident_markdown,
  payload: row.payload,
})
