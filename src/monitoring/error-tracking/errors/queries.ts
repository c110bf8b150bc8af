import { sql } from 'kysely'
import type { Db } from '#platform/db/pool.ts'
import { contains } from '#platform/db/search.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { notFound } from '#platform/refusals.ts'
import type { ReducedEvent } from '../collector/event.ts'
import type { Details, ErrorRow } from './entity.ts'

const columns = [
  'e.id',
  'e.title',
  'e.type',
  'e.culprit',
  'e.level',
  'e.platform',
  'e.status',
  'e.resolved_in_release',
  'e.status_changed_at',
  'e.events_count',
  'e.users_count',
  'e.first_seen_at',
  'e.last_seen_at',
  'e.reopened_at',
] as const

/** The errors of a project. An issue that was deleted has left the project, and shows no more. */
export const errorsOf = (db: Db | Tx['db'], projectId: number) =>
  db
    .selectFrom('errors as e')
    .leftJoin('issues as i', (join) =>
      join.onRef('i.id', '=', 'e.issue_id').onRef('i.project_id', '=', 'e.project_id'),
    )
    .select(columns)
    .select('i.iid as issue_iid')
    .where('e.project_id', '=', projectId)

type Errors = ReturnType<typeof errorsOf>

export interface Filter {
  readonly status?: 'unresolved' | 'resolved' | 'ignored'
  readonly query?: string
  readonly issue_iid?: number
}

export function filterErrors(errors: Errors, { query, issue_iid, ...given }: Filter): Errors {
  const status = given.status ?? (issue_iid === undefined ? 'unresolved' : undefined)
  return errors
    .$if(status !== undefined, (q) => q.where('e.status', '=', status ?? ''))
    .$if(query !== undefined, (q) => q.where(contains(['e.title', 'e.culprit'], query ?? '')))
    .$if(issue_iid !== undefined, (q) => q.where('i.iid', '=', issue_iid ?? 0))
}

/** @throws 404 `Error Not Found` */
export async function findError(db: Db | Tx['db'], projectId: number, id: number): Promise<ErrorRow> {
  return errorsOf(db, projectId)
    .where('e.id', '=', id)
    .executeTakeFirstOrThrow(() => notFound('Error'))
}

/** Finds an error and locks it for a change. @throws 404 `Error Not Found` */
export async function lockError(tx: Tx, projectId: number, id: number): Promise<ErrorRow> {
  return errorsOf(tx.db, projectId)
    .where('e.id', '=', id)
    .forNoKeyUpdate('e')
    .executeTakeFirstOrThrow(() => notFound('Error'))
}

/** The events of an error that are kept as a whole. */
export const eventsOf = (db: Db, errorId: number) =>
  db.selectFrom('error_events as v').select(['v.id', 'v.event']).where('v.error_id', '=', errorId)

/** An event as this program wrote it. */
export const readEvent = (text: string): ReducedEvent => JSON.parse(text)

/** Days whose hours are shown. */
const DAYS = 7

/** What is known of an error besides its row, in one statement. */
export async function findDetails(db: Db, id: number): Promise<Details> {
  const { rows } = await sql<{
    places: Details['places']
    hours: Details['hours']
    latest: string | null
  }>`
    select
      (select coalesce(json_agg(json_build_object('kind', kind, 'name', name, 'events_count', events_count,
          'first_seen_at', first_seen_at, 'last_seen_at', last_seen_at) order by last_seen_at desc, name), '[]')
        from error_places where error_id = ${id}) as places,
      (select coalesce(json_agg(json_build_object('hour', recorded_at, 'events_count', events_count) order by recorded_at), '[]')
        from error_hours where error_id = ${id} and recorded_at > now() - make_interval(days => ${sql.lit(DAYS)})) as hours,
      (select event from error_events where error_id = ${id} order by id desc limit 1) as latest`.execute(db)
  const [row] = rows
  if (row === undefined) throw notFound('Error')
  const { places, hours, latest } = row
  return { places, hours, latest: latest === null ? null : readEvent(latest) }
}
