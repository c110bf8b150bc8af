import { sql } from 'kysely'
import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { notFound } from '#platform/refusals.ts'
import type { ListOrder } from '#platform/http/order.ts'
import { deployTokenColumns, type DeployTokenRow } from './entity.ts'

export const deployTokenOrder: ListOrder = {
  of: 'DeployToken',
  id: 't.id',
  columns: { id: { column: 't.id' } },
  by: 'id',
  sort: 'asc',
}

/** All deploy tokens but those of projects and groups that are being deleted. */
export function deployTokensIn(db: Db | Tx['db']) {
  return db
    .selectFrom('deploy_tokens as t')
    .select(deployTokenColumns.map((name) => `t.${name}` as const))
    .where(
      sql<boolean>`exists (select from namespaces n where n.id = t.namespace_id and n.deleted_at is null)`,
    )
}

/** The deploy tokens of a project or group. */
export const deployTokensOf = (db: Db | Tx['db'], container: { readonly namespace_id: number }) =>
  deployTokensIn(db).where('t.namespace_id', '=', container.namespace_id)

type DeployTokenQuery = ReturnType<typeof deployTokensIn>

/** @param now the moment of the request, which decides whether a token is active. */
export function filterDeployTokens(
  query: DeployTokenQuery,
  { active }: { readonly active?: boolean },
  now: string,
): DeployTokenQuery {
  if (active !== true) return query
  return query.where(sql<boolean>`(t.expires_at is null or t.expires_at > ${now}::timestamptz)`)
}

/** Finds a deploy token of a project or group. @throws 404 */
export async function findDeployToken(
  db: Db | Tx['db'],
  container: { readonly namespace_id: number },
  id: number,
): Promise<DeployTokenRow> {
  return deployTokensOf(db, container)
    .where('t.id', '=', id)
    .executeTakeFirstOrThrow(() => notFound())
}
