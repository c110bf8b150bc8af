import { sql } from 'kysely'
import { recordset } from '#platform/db/recordset.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { iso, isoOrNull } from '#platform/http/time.ts'
import { addedJob } from '#platform/jobs/added-job.ts'
import { nextIids } from '#identity/namespaces/next-iid.ts'
import { insertNoteables } from '#planning/noteables/insert-noteables.ts'
import { aboutAlert } from '#monitoring/alerts/facts.ts'
import { CLOSE_INCIDENT, CREATE_INCIDENT } from '#monitoring/alerts/incident-tasks.ts'
import { type AlertUpdate, type KnownAlert, type NewAlert, reckon, type ReceivedReport } from './reckon.ts'

/** The project of reports, with what its settings say at this moment. */
export interface ReportedTo {
  readonly projectId: number
  readonly namespaceId: number
  readonly createIncident: boolean
  readonly closeIncident: boolean
  readonly sendEmail: boolean
}

/** What the sender learns of each report. */
export interface ReportAnswer {
  readonly iid: number
  readonly title: string
}

/**
 * Writes reports of one project: new alerts, counts, and ends. It takes the same number of statements for any number of reports.
 * @returns the alert of each report, in their order.
 */
export async function takeIn(
  tx: Tx,
  to: ReportedTo,
  reports: readonly ReceivedReport[],
): Promise<ReportAnswer[]> {
  const known = await lockKnown(tx, to.projectId, reports)
  const { changed, made, of } = reckon(reports, known)
  const written = made.length > 0 ? await insert(tx, to, made) : []
  if (changed.length > 0) await update(tx, changed)
  const answers = new Map<AlertUpdate | NewAlert, ReportAnswer>(changed.map((one) => [one, one.alert]))
  for (const { made, ...answer } of written) answers.set(made, answer)
  await tell(tx, to, written, changed)
  return of.map((one) => {
    const answer = answers.get(one) ?? ('alert' in one ? one.alert : undefined)
    if (answer === undefined) throw new Error('A report has no alert')
    return { iid: answer.iid, title: answer.title }
  })
}

/**
 * Locks the open alerts that the reports are about. Those that may be resolved are locked with their noteables, which come first in the
 * order of locks.
 */
async function lockKnown(
  tx: Tx,
  projectId: number,
  reports: readonly ReceivedReport[],
): Promise<KnownAlert[]> {
  const all = fingerprintsOf(reports)
  const ending = fingerprintsOf(reports.filter(({ report }) => report.recovered))
  if (ending.length > 0) {
    await sql`
      select 1 from noteables where id in (
        select a.id from alerts a
        where a.project_id = ${projectId} and a.fingerprint = any(${ending}::text[]) and a.status <> 'resolved')
      order by id for no key update`.execute(tx.db)
  }
  const { rows: open } = await sql<FoundAlert>`
    select a.id, a.iid, a.title, a.fingerprint, a.integration_id, true as "isOpen", a.started_at, a.ended_at from alerts a
    where a.project_id = ${projectId} and a.fingerprint = any(${all}::text[]) and a.status <> 'resolved'
    order by a.id for no key update`.execute(tx.db)
  if (ending.length === 0) return underFingerprints(open, reports)
  const { rows: resolved } = await sql<FoundAlert>`
    select distinct on (a.fingerprint, a.integration_id) a.id, a.iid, a.title, a.fingerprint, a.integration_id,
      false as "isOpen", a.started_at, a.ended_at
    from alerts a
    where a.project_id = ${projectId} and a.fingerprint = any(${ending}::text[]) and a.status = 'resolved'
    order by a.fingerprint, a.integration_id, a.id desc`.execute(tx.db)
  const found = [...resolved.toSorted((a, b) => a.id - b.id), ...open].map((alert) => ({
    ...alert,
    started_at: iso(alert.started_at),
    ended_at: isoOrNull(alert.ended_at),
  }))
  return underFingerprints(found, reports)
}

interface FoundAlert extends KnownAlert {
  readonly integration_id: number | null
}

/** The fingerprints of reports, also as they were before they said which integration they are unique in. */
const fingerprintsOf = (reports: readonly ReceivedReport[]): string[] => [
  ...new Set(reports.flatMap(({ report }) => [report.fingerprint, report.formerFingerprint ?? []].flat())),
]

/** Alerts from before have their new fingerprint here, as far as the integration that sent them reports them now; others are left out. */
function underFingerprints(found: readonly FoundAlert[], reports: readonly ReceivedReport[]): KnownAlert[] {
  const formerOf = (integration: number | null, fingerprint: string) => `${integration} ${fingerprint}`
  const now = new Set(reports.map(({ report }) => report.fingerprint))
  const former = new Map(
    reports.map(({ report, integrationId }) => [
      formerOf(integrationId, report.formerFingerprint ?? ''),
      report.fingerprint,
    ]),
  )
  return found.flatMap((alert) => {
    if (now.has(alert.fingerprint)) return [alert]
    const fingerprint = former.get(formerOf(alert.integration_id, alert.fingerprint))
    return fingerprint === undefined ? [] : [{ ...alert, fingerprint }]
  })
}

interface InsertedAlert extends ReportAnswer {
  readonly made: NewAlert
  readonly id: number
  /** Whether another process made the alert in this moment: then it was counted there. */
  readonly isNew: boolean
}

interface Inserted {
  readonly id: number
  readonly iid: number
  readonly title: string
  readonly fingerprint: string
  readonly is_new: boolean
  readonly last_iid: number
}

async function insert(
  tx: Tx,
  { projectId, namespaceId }: ReportedTo,
  made: readonly NewAlert[],
): Promise<InsertedAlert[]> {
  const count = made.length
  const given = made.map((one, index) => rowOf(one, index, tx.now))
  const { rows } = await sql<Inserted>`
    with numbered as (
      ${nextIids('alert', sql`select ${namespaceId}::bigint as namespace_id, ${count}::integer as count`)}
    ), upserted as (
      insert into alerts as known (project_id, iid, integration_id, title, description, severity, status, events, fingerprint,
        fingerprinted, payload_kind, service, monitoring_tool, hosts, environment, runbook, query, y_label,
        incident_markdown, payload, started_at, ended_at, created_at, last_event_at)
      select ${projectId}::bigint, numbered.last_iid - ${count}::integer + g.iid,
        (select i.id from alert_integrations i where i.id = g.integration_id), g.title, g.description, g.severity, g.status,
        g.events, g.fingerprint, g.fingerprinted, g.payload_kind, g.service, g.monitoring_tool,
        g.hosts, g.environment, g.runbook, g.query, g.y_label, g.incident_markdown,
        g.payload, g.started_at, g.ended_at, ${tx.now}::timestamptz, ${tx.now}::timestamptz
      from ${recordset('alerts', given)} as g, numbered
      order by g.iid
      on conflict (project_id, fingerprint) where status <> 'resolved'
        do update set events = known.events + excluded.events, last_event_at = excluded.last_event_at
      returning id, iid, title, fingerprint, xmax = 0 as is_new
    ), fresh as (select id from upserted where is_new)
    , noteable as ${insertNoteables('fresh', { kind: 'alert', namespaceId, updatedAt: tx.now })}
    select u.id, u.iid, u.title, u.fingerprint, u.is_new, numbered.last_iid from upserted u, numbered`.execute(
    tx.db,
  )
  return rows.map(({ id, iid, title, fingerprint, is_new, last_iid }) => {
    const one = is_new
      ? made[iid - (last_iid - count) - 1]
      : made.find(({ report, endedAt }) => report.fingerprint === fingerprint && endedAt === undefined)
    if (one === undefined) throw new Error('An alert was written that nobody reported')
    return { made: one, id, iid, title, isNew: is_new }
  })
}

/** A row as {@link insert} takes it: its `iid` counts from 1. */
function rowOf({ report, integrationId, events, endedAt }: NewAlert, index: number, now: string) {
  const { startedAt, monitoringTool, yLabel, incidentMarkdown, kind } = report
  const {
    title,
    description,
    severity,
    fingerprint,
    fingerprinted,
    service,
    hosts,
    environment,
    runbook,
    query,
    payload,
  } = report
  return {
    iid: index + 1,
    integration_id: integrationId,
    title,
    description,
    severity,
    status: endedAt === undefined ? 'triggered' : 'resolved',
    events,
    fingerprint,
    fingerprinted,
    payload_kind: kind,
    service,
    monitoring_tool: monitoringTool,
    hosts,
    environment,
    runbook,
    query,
    y_label: yLabel,
    incident_markdown: incidentMarkdown,
    payload,
    started_at: startedAt ?? now,
    ended_at: endedAt === undefined ? null : (endedAt ?? now),
  }
}

async function update(tx: Tx, changed: readonly AlertUpdate[]): Promise<void> {
  const rows = changed.map(({ alert, events, endedAt }) => ({
    id: alert.id,
    events,
    ended_at: endedAt === undefined ? null : (endedAt ?? tx.now),
  }))
  const ended = changed.flatMap(({ alert, endedAt }) => (endedAt === undefined ? [] : [alert.id]))
  await sql`
    update alerts a set events = a.events + g.events, last_event_at = ${tx.now}::timestamptz,
      status = case when g.ended_at is null then a.status else 'resolved' end, ended_at = coalesce(g.ended_at, a.ended_at)
    from ${recordset('alerts', rows)} as g where a.id = g.id`.execute(tx.db)
  if (ended.length === 0) return
  await sql`update noteables set updated_at = ${tx.now} where id = any(${ended}::bigint[])`.execute(tx.db)
}

/** Records what happened, and leaves to jobs what comes of it. */
async function tell(
  tx: Tx,
  to: ReportedTo,
  written: readonly InsertedAlert[],
  changed: readonly AlertUpdate[],
): Promise<void> {
  const { namespaceId, createIncident, closeIncident, sendEmail } = to
  const incidents: number[] = []
  const over: number[] = []
  for (const { id, iid, title, isNew, made } of written) {
    if (!isNew) continue
    const about = aboutAlert({ id, namespace_id: namespaceId })
    const { severity } = made.report
    record(tx, { ...about, name: 'alert created', details: { iid, title, severity, mails: sendEmail } })
    if (made.endedAt === undefined) incidents.push(id)
    else record(tx, { ...about, name: 'alert recovered', details: { iid, title, mails: sendEmail } })
  }
  for (const { alert, endedAt } of changed) {
    if (endedAt === undefined) continue
    const { id, iid, title } = alert
    over.push(id)
    record(tx, {
      ...aboutAlert({ id, namespace_id: namespaceId }),
      name: 'alert recovered',
      details: { iid, title, mails: sendEmail },
    })
  }
  if (createIncident) await addJobs(tx, CREATE_INCIDENT, incidents)
  if (closeIncident) await addJobs(tx, CLOSE_INCIDENT, over)
}

async function addJobs(tx: Tx, task: string, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  await sql`
    select ${addedJob(sql`${task}::text`, sql`json_build_object('alert_id', a.id)`)} from unnest(${[...ids]}::bigint[]) as a (id)`.execute(
    tx.db,
  )
}
