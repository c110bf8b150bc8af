import { sql } from 'kysely'
import { userBasicJson, type UserBasicRow } from '#identity/users/basic.ts'
import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import type { ListOrder } from '#platform/http/order.ts'
import { notFound } from '#platform/refusals.ts'
import type { LastPipelineRow, ScheduleRow } from './entity.ts'

/** As they were created. */
export const scheduleOrder: ListOrder = {
  of: 'Ci::PipelineSchedule',
  id: 's.id',
  columns: { id: { column: 's.id' } },
  by: 'id',
  sort: 'asc',
}

const owner = sql<UserBasicRow | null>`(select ${userBasicJson('u')} from users u where u.id = s.owner_id)`

/** The schedules of a project. */
export const schedulesOf = (db: Db | Tx['db'], projectId: number) =>
  db
    .selectFrom('pipeline_schedules as s')
    .select([
      's.id',
      's.project_id',
      's.description',
      's.ref',
      's.cron',
      's.cron_timezone',
      's.next_run_at',
      's.active',
      's.owner_id',
      's.created_at',
      's.updated_at',
      owner.as('owner'),
    ])
    .where('s.project_id', '=', projectId)

/** @throws 404 `Pipeline Schedule Not Found` */
export const findSchedule = (db: Db | Tx['db'], projectId: number, id: number): Promise<ScheduleRow> =>
  schedulesOf(db, projectId)
    .where('s.id', '=', id)
    .executeTakeFirstOrThrow(() => notFound('Pipeline Schedule'))

/** The same, locked for a change. */
export const lockSchedule = (tx: Tx, projectId: number, id: number): Promise<ScheduleRow> =>
  schedulesOf(tx.db, projectId)
    .where('s.id', '=', id)
    .forNoKeyUpdate('s')
    .executeTakeFirstOrThrow(() => notFound('Pipeline Schedule'))

export const lastPipelineOf = (db: Db, scheduleId: number): Promise<LastPipelineRow | undefined> =>
  db
    .selectFrom('pipelines')
    .select(['id', 'sha', 'ref', 'status'])
    .where('schedule_id', '=', scheduleId)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
