import { sql } from 'kysely'
import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { notFound } from '#platform/refusals.ts'
import type { ListOrder } from '#platform/http/order.ts'
import type { LicenseRow } from './entity.ts'

export const licenseOrder: ListOrder = {
  of: 'License',
  id: 'l.id',
  columns: { id: { column: 'l.id' } },
  by: 'id',
  sort: 'desc',
}

/** All licenses, `l`, each with the most users counted on one of its days. */
export function licenses(db: Db | Tx['db']) {
  return db.selectFrom('licenses as l').select([
    'l.id',
    'l.plan',
    'l.starts_at',
    'l.expires_at',
    'l.user_limit',
    'l.name',
    'l.email',
    'l.company',
    'l.created_at',
    sql<Record<string, number>>`l.add_ons`.as('add_ons'),
    sql<number>`coalesce((select max(case l.plan when 'ultimate' then c.above_guest else c.everybody end) from billable_user_counts c
        where c.day >= l.starts_at and c.day < l.expires_at), 0)`.as('historical_max'),
  ])
}

/**
 * Finds a license by id.
 * @throws 404
 */
export async function findLicense(db: Db | Tx['db'], id: number): Promise<LicenseRow> {
  return licenses(db)
    .where('l.id', '=', id)
    .executeTakeFirstOrThrow(() => notFound())
}
