import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { notFound } from '#platform/refusals.ts'
import type { ListOrder } from '#platform/http/order.ts'
import { integrationColumns, type IntegrationRow } from './entity.ts'

/** Oldest first. */
export const integrationOrder: ListOrder = {
  of: 'AlertIntegration',
  id: 'i.id',
  columns: { id: { column: 'i.id' } },
  by: 'id',
  sort: 'asc',
}

export const integrationsOf = (db: Db | Tx['db'], projectId: number) =>
  db
    .selectFrom('alert_integrations as i')
    .select(integrationColumns.map((column) => `i.${column}` as const))
    .where('i.project_id', '=', projectId)

/** @throws 404 */
export async function findIntegration(
  db: Db | Tx['db'],
  projectId: number,
  id: number,
): Promise<IntegrationRow> {
  return integrationsOf(db, projectId)
    .where('i.id', '=', id)
    .executeTakeFirstOrThrow(() => notFound('Alert Integration'))
}

/** The same, locked. @throws 404 */
export async function lockIntegration(tx: Tx, projectId: number, id: number): Promise<IntegrationRow> {
  return integrationsOf(tx.db, projectId)
    .where('i.id', '=', id)
    .forUpdate()
    .executeTakeFirstOrThrow(() => notFound('Alert Integration'))
}
