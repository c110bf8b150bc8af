import { sql } from 'kysely'
import { userBasicJson, type UserBasicRow } from '#identity/users/basic.ts'
import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import type { ListOrder } from '#platform/http/order.ts'
import { notFound } from '#platform/refusals.ts'
import type { TriggerRow } from './entity.ts'

/** As they were created. */
export const triggerOrder: ListOrder = {
  of: 'Ci::Trigger',
  id: 't.id',
  columns: { id: { column: 't.id' } },
  by: 'id',
  sort: 'asc',
}

const owner = sql<UserBasicRow | null>`(select ${userBasicJson('u')} from users u where u.id = t.owner_id)`

export const triggersOf = (db: Db | Tx['db'], projectId: number) =>
  db
    .selectFrom('pipeline_triggers as t')
    .select([
      't.id',
      't.description',
      't.token',
      't.owner_id',
      't.created_at',
      't.updated_at',
      't.last_used',
      't.expires_at',
      owner.as('owner'),
    ])
    .where('t.project_id', '=', projectId)

/** @throws 404 `Trigger Not Found` */
export const findTrigger = (db: Db | Tx['db'], projectId: number, id: number): Promise<TriggerRow> =>
  triggersOf(db, projectId)
    .where('t.id', '=', id)
    .executeTakeFirstOrThrow(() => notFound('Trigger'))
