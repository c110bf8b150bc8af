import type { Selectable } from 'kysely'
import type { Db } from '#platform/db/pool.ts'
import type { Organizations } from '#platform/db/schema.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { notFound } from '#platform/refusals.ts'

/** The organization of everything that names no other; the first start makes it. */
export const DEFAULT_ORGANIZATION = 1

/**
 * Finds an organization.
 * @throws 404 `Organization Not Found`
 */
export async function findOrganization(db: Db | Tx['db'], id: number): Promise<Selectable<Organizations>> {
  return db
    .selectFrom('organizations')
    .select(['id', 'name', 'path'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow(() => notFound('Organization'))
}
