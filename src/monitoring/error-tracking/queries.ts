import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { notFound } from '#platform/refusals.ts'
import type { ListOrder } from '#platform/http/order.ts'
import { keyColumns, type KeyRow, type TrackingRow, trackingColumns } from './entity.ts'

/** @throws 404 before there are any settings */
export async function findTracking(db: Db, projectId: number): Promise<TrackingRow> {
  return db
    .selectFrom('error_tracking_settings')
    .select(trackingColumns)
    .where('project_id', '=', projectId)
    .executeTakeFirstOrThrow(() => notFound('Error Tracking Setting'))
}

/** The settings, locked for a change; undefined before there are any. */
export const lockTracking = ({ db }: Tx, projectId: number): Promise<TrackingRow | undefined> =>
  db
    .selectFrom('error_tracking_settings')
    .select(trackingColumns)
    .where('project_id', '=', projectId)
    .forNoKeyUpdate()
    .executeTakeFirst()

/** As they were created. */
export const keyOrder: ListOrder = {
  of: 'ErrorTracking::ClientKey',
  id: 'k.id',
  columns: { id: { column: 'k.id' } },
  by: 'id',
  sort: 'asc',
}

/** The client keys of a project. */
export const clientKeysOf = (db: Db | Tx['db'], projectId: number) =>
  db
    .selectFrom('error_tracking_keys as k')
    .select(keyColumns.map((name) => `k.${name}` as const))
    .where('k.project_id', '=', projectId)

/** Finds a client key and locks it for its deletion. @throws 404 */
export async function lockKey({ db }: Tx, projectId: number, id: number): Promise<KeyRow> {
  return clientKeysOf(db, projectId)
    .where('k.id', '=', id)
    .forUpdate('k')
    .executeTakeFirstOrThrow(() => notFound('Client Key'))
}
