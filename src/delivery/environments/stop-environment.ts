import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { environmentColumns, type EnvironmentRow } from './entity.ts'
import { stopActions } from './extension-points.ts'

/**
 * Stops an environment that is available: at once, or after what has to run before.
 * @param environment locked by `lockEnvironment`.
 * @param byItself whether its time has come
 * @returns the environment, `stopped` or `stopping`; still `available` where it only stops by a job and has none
 */
export async function beginToStop(
  tx: Tx,
  namespace: number,
  environment: EnvironmentRow,
  byItself = false,
): Promise<EnvironmentRow> {
  if (environment.state !== 'available') return environment
  let runs = false
  for (const begin of stopActions.entries) runs = (await begin(tx, environment)) || runs
  const staysWithout = byItself && environment.auto_stop_setting === 'with_action'
  if (!runs && !staysWithout) return stopEnvironment(tx, namespace, environment, byItself)
  return tx.db
    .updateTable('environments')
    .set({ ...(runs && { state: 'stopping' }), auto_stop_at: null, updated_at: tx.now })
    .where('id', '=', environment.id)
    .returning(environmentColumns)
    .executeTakeFirstOrThrow()
}

/**
 * Stops an environment; one that is stopped stays as it is.
 * @param environment locked by `lockEnvironment`.
 * @param byItself whether its time had come
 * @returns the stopped environment
 */
export async function stopEnvironment(
  tx: Tx,
  namespace: number,
  environment: EnvironmentRow,
  byItself = false,
): Promise<EnvironmentRow> {
  const { id, state, name } = environment
  if (state === 'stopped') return environment
  const stopped = await tx.db
    .updateTable('environments')
    .set({ state: 'stopped', auto_stop_at: null, updated_at: tx.now })
    .where('id', '=', id)
    .returning(environmentColumns)
    .executeTakeFirstOrThrow()
  record(tx, {
    name: 'environment stopped',
    namespace,
    target: { type: 'Environment', id },
    details: { environment: name, ...(byItself && { by_itself: true as const }) },
  })
  return stopped
}
