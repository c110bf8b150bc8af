import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import type { ListOrder } from '#platform/http/order.ts'
import { Conflict, notFound } from '#platform/refusals.ts'
import { variableColumns, type VariableRow } from './entity.ts'

/** Whose variables are meant: a project or group, or, for null, the instance. */
export type Holder = number | null

/** As they were created. */
export const variableOrder: ListOrder = {
  of: 'CiVariable',
  id: 'v.id',
  columns: { id: { column: 'v.id' } },
  by: 'id',
  sort: 'asc',
}

/** The variables of a project, a group or the instance. */
export function variablesOf(db: Db | Tx['db'], holder: Holder) {
  const variables = db
    .selectFrom('ci_variables as v')
    .select(variableColumns.map((name) => `v.${name}` as const))
  return holder === null
    ? variables.where('v.namespace_id', 'is', null)
    : variables.where('v.namespace_id', '=', holder)
}

/**
 * Finds a variable by its key.
 * @param scope its environments, where several have that key
 * @throws 404 `Variable Not Found`; 409 when several have that key
 */
export async function findVariable(
  db: Db | Tx['db'],
  holder: Holder,
  key: string,
  scope: string | undefined,
): Promise<VariableRow> {
  const named = variablesOf(db, holder).where('v.key', '=', key)
  const meant = scope === undefined ? named : named.where('v.environment_scope', '=', scope)
  const [found, another] = await meant.limit(2).execute()
  if (found === undefined) throw notFound('Variable')
  if (another !== undefined)
    throw new Conflict(
      "There are multiple variables with provided parameters. Please use 'filter[environment_scope]'",
    )
  return found
}

/**
 * Locks a variable that was found before, for a change.
 * @throws 404 `Variable Not Found` when it is gone
 */
export const lockVariable = (tx: Tx, { id, namespace_id }: VariableRow): Promise<VariableRow> =>
  variablesOf(tx.db, namespace_id)
    .where('v.id', '=', id)
    .forUpdate('v')
    .executeTakeFirstOrThrow(() => notFound('Variable'))
