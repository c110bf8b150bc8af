import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import type { ListOrder } from '#platform/http/order.ts'
import { notFound } from '#platform/refusals.ts'
import { broadcastMessageColumns, type BroadcastMessageRow } from './entity.ts'

/** The newest first. */
export const broadcastMessageOrder: ListOrder = {
  of: 'BroadcastMessage',
  id: 'b.id',
  columns: {},
  by: 'id',
  sort: 'desc',
}

export const broadcastMessages = (db: Db | Tx['db']) =>
  db.selectFrom('broadcast_messages as b').select(broadcastMessageColumns.map((name) => `b.${name}` as const))

/** @throws 404 */
export const findBroadcastMessage = (db: Db | Tx['db'], id: number): Promise<BroadcastMessageRow> =>
  broadcastMessages(db)
    .where('b.id', '=', id)
    .executeTakeFirstOrThrow(() => notFound())

/** Locks one until the transaction ends. @throws 404 */
export const lockBroadcastMessage = ({ db }: Tx, id: number): Promise<BroadcastMessageRow> =>
  broadcastMessages(db)
    .where('b.id', '=', id)
    .forUpdate('b')
    .executeTakeFirstOrThrow(() => notFound())
