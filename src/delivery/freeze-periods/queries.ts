import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { notFound } from '#platform/refusals.ts'
import type { ListOrder } from '#platform/http/order.ts'
import { freezePeriodColumns, type FreezePeriodRow } from './entity.ts'

/** As they were created. */
export const freezePeriodOrder: ListOrder = {
  of: 'FreezePeriod',
  id: 'f.id',
  columns: { created_at: { column: 'f.created_at' } },
  by: 'created_at',
  sort: 'asc',
}

/** The freeze periods of a project. */
export const freezePeriodsOf = (db: Db | Tx['db'], projectId: number) =>
  db
    .selectFrom('freeze_periods as f')
    .select(freezePeriodColumns.map((name) => `f.${name}` as const))
    .where('f.project_id', '=', projectId)

/** Finds one by its id among those of a query. @throws 404 */
export async function findFreezePeriod(
  query: ReturnType<typeof freezePeriodsOf>,
  id: number,
): Promise<FreezePeriodRow> {
  return query.where('f.id', '=', id).executeTakeFirstOrThrow(() => notFound())
}

/** The same with a lock. @param deletes whether it will be deleted. */
export function lockFreezePeriod(
  tx: Tx,
  projectId: number,
  id: number,
  deletes = false,
): Promise<FreezePeriodRow> {
  const all = freezePeriodsOf(tx.db, projectId)
  return findFreezePeriod(deletes ? all.forUpdate('f') : all.forNoKeyUpdate('f'), id)
}
