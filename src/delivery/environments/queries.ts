import type { Static } from 'typebox'
import type { Db } from '#platform/db/pool.ts'
import { contains } from '#platform/db/search.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { badRequest, notFound } from '#platform/refusals.ts'
import type { ListOrder } from '#platform/http/order.ts'
import { environmentColumns, type EnvironmentRow } from './entity.ts'
import type { EnvironmentFilter } from './parameters.ts'

/** As they were created. */
export const environmentOrder: ListOrder = {
  of: 'Environment',
  id: 'e.id',
  columns: { id: { column: 'e.id' } },
  by: 'id',
  sort: 'asc',
}

/** The environments of a project, but for those that were deleted. */
export const environmentsOf = (db: Db | Tx['db'], projectId: number) =>
  db
    .selectFrom('environments as e')
    .select(environmentColumns.map((name) => `e.${name}` as const))
    .where('e.project_id', '=', projectId)
    .where('e.deleted_at', 'is', null)

type EnvironmentQuery = ReturnType<typeof environmentsOf>

/** Shorter ones would find almost everything. */
const SHORTEST_SEARCH = 3

/** @throws 400 for a search that is too short */
export function filterEnvironments(
  query: EnvironmentQuery,
  { name, search = '', states }: Static<typeof EnvironmentFilter>,
): EnvironmentQuery {
  if (search !== '' && search.length < SHORTEST_SEARCH)
    throw badRequest(`Search query is less than ${SHORTEST_SEARCH} characters`)
  return query
    .$if(name !== undefined && name !== '', (q) => q.where('e.name', '=', name ?? ''))
    .$if(search !== '', (q) => q.where(contains(['e.name'], search)))
    .$if(states !== undefined, (q) => q.where('e.state', '=', states ?? 'available'))
}

/** Finds an environment by its id among those of a query. @throws 404 */
export async function findEnvironment(query: EnvironmentQuery, id: number): Promise<EnvironmentRow> {
  return query.where('e.id', '=', id).executeTakeFirstOrThrow(() => notFound())
}

/** The same with a lock, so that neither its state nor what is deployed there changes until the transaction ends. */
export const lockEnvironment = (tx: Tx, projectId: number, id: number): Promise<EnvironmentRow> =>
  findEnvironment(environmentsOf(tx.db, projectId).forNoKeyUpdate('e'), id)

/** The same by its name; undefined where there is none. */
export const lockEnvironmentByName = (
  tx: Tx,
  projectId: number,
  name: string,
): Promise<EnvironmentRow | undefined> =>
  environmentsOf(tx.db, projectId).where('e.name', '=', name).forNoKeyUpdate('e').executeTakeFirst()
