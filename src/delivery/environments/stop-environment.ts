import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { environmentColumns, type EnvironmentRow } from './entity.ts'

/**
 * Stops an environment; one that is stopped stays as it is. There are no actions that would have to run before.
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
