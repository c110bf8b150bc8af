import { type SelectQueryBuilder, sql } from 'kysely'
import type { Static } from 'typebox'
import { userBasicJson, type UserBasicRow } from '#identity/users/basic.ts'
import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { notFound } from '#platform/refusals.ts'
import { locking } from '#planning/noteables/lock.ts'
import type { AlertRow, DetailedRow } from './entity.ts'
import type { AlertFilter } from './parameters.ts'

const columns = [
  'a.id',
  'a.iid',
  'a.project_id',
  'a.title',
  'a.description',
  'a.events',
  'a.fingerprint',
  'a.fingerprinted',
  'a.integration_id',
  'a.service',
  'a.monitoring_tool',
  'a.hosts',
  'a.environment',
  'a.runbook',
  'a.query',
  'a.y_label',
  'a.started_at',
  'a.ended_at',
  'a.last_event_at',
  'a.created_at',
] as const

/** Alerts with everything that presenters need, without payloads. */
export const alertsFor = (db: Db | Tx['db']) =>
  db
    .selectFrom('alerts as a')
    .innerJoin('noteables as o', 'o.id', 'a.id')
    .innerJoin('namespaces as n', 'n.id', 'o.namespace_id')
    .innerJoin('projects as p', 'p.id', 'a.project_id')
    .leftJoin('issues as i', 'i.id', 'a.issue_id')
    .select(columns)
    .select([
      'i.iid as issue_iid',
      'n.id as namespace_id',
      'n.full_path',
      'o.updated_at',
      'o.notes_count',
      sql<AlertRow['severity']>`a.severity`.as('severity'),
      sql<AlertRow['status']>`a.status`.as('status'),
      sql<AlertRow['payload_kind']>`a.payload_kind`.as('payload_kind'),
      sql<readonly UserBasicRow[]>`coalesce((
        select json_agg(${userBasicJson('u')} order by u.id) from alert_assignees s join users u on u.id = s.user_id
        where s.alert_id = a.id), '[]')`.as('assignees'),
    ])

/** The alerts of a project that a list asks for. */
export function alertsOf(db: Db, projectId: number, filter: Static<typeof AlertFilter>) {
  const { status, severity, monitoring_tool, assignee_username, search } = filter
  const pattern = `%${(search ?? '').replaceAll(/[\\%_]/g, '\\$&')}%`
  return alertsFor(db)
    .where('a.project_id', '=', projectId)
    .$if(status !== undefined, (q) => q.where(sql<boolean>`a.status = any(${[...(status ?? [])]}::text[])`))
    .$if(severity !== undefined, (q) =>
      q.where(sql<boolean>`a.severity = any(${[...(severity ?? [])]}::text[])`),
    )
    .$if(monitoring_tool !== undefined, (q) => q.where('a.monitoring_tool', '=', monitoring_tool ?? ''))
    .$if(assignee_username !== undefined, (q) =>
      q.where(
        sql<boolean>`exists (select 1 from alert_assignees s join users u on u.id = s.user_id
          where s.alert_id = a.id and lower(u.username) = lower(${assignee_username ?? ''}))`,
      ),
    )
    .$if(search !== undefined, (q) =>
      q.where(
        sql<boolean>`(a.title ilike ${pattern} or a.description ilike ${pattern} or a.service ilike ${pattern}
          or a.monitoring_tool ilike ${pattern})`,
      ),
    )
}

/** @throws 404 */
export async function findAlert(db: Db | Tx['db'], projectId: number, iid: number): Promise<DetailedRow> {
  return detailed(alertsFor(db))
    .where('a.project_id', '=', projectId)
    .where('a.iid', '=', iid)
    .executeTakeFirstOrThrow(() => notFound('Alert'))
}

const detailed = <DB extends { a: object }, TB extends keyof DB, O>(q: SelectQueryBuilder<DB, TB, O>) =>
  q.select([sql<string | null>`a.incident_markdown`.as('incident_markdown'), sql`a.payload`.as('payload')])

const lock = locking<{ project: number; iid: number }>(
  'change',
  (param) =>
    sql`(select a.id from alerts a where a.project_id = ${param('project')} and a.iid = ${param('iid')})`,
)

/** The same, locked: first its noteable, then its own row, which the receiver changes. @throws 404 */
export async function lockAlert(tx: Tx, project: number, iid: number): Promise<DetailedRow> {
  await lock(tx.db, { project, iid })
  await sql`select 1 from alerts where project_id = ${project} and iid = ${iid} for no key update`.execute(
    tx.db,
  )
  return findAlert(tx.db, project, iid)
}
