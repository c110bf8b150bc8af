import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { notFound } from '#platform/refusals.ts'
import type { ListOrder } from '#platform/http/order.ts'
import { applicationColumns, type ApplicationRow } from './entity.ts'

export const applicationOrder: ListOrder = {
  of: 'Application',
  id: 'a.id',
  columns: { id: { column: 'a.id' } },
  by: 'id',
  sort: 'asc',
}

/** All applications, without the digests of their secrets. */
export function applicationsIn(db: Db | Tx['db']) {
  return db.selectFrom('applications as a').select(applicationColumns)
}

/** The applications that a user registered. */
export function applicationsOf(db: Db | Tx['db'], ownerId: number) {
  return applicationsIn(db).where('a.owner_id', '=', ownerId)
}

/**
 * Finds one of `applications`, a query that holds only those that the caller may see.
 * @throws 404 `Application Not Found`
 */
export async function findApplication(
  applications: ReturnType<typeof applicationsIn>,
  id: number,
): Promise<ApplicationRow> {
  return applications.where('a.id', '=', id).executeTakeFirstOrThrow(() => notFound('Application'))
}
