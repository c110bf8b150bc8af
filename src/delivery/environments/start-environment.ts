import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import type { EnvironmentRow } from './entity.ts'

/**
 * Makes an environment available again, because something was deployed there.
 * @param environment locked by `lockEnvironment`.
 */
export async function startEnvironment(
  tx: Tx,
  namespace: number,
  environment: EnvironmentRow,
): Promise<void> {
  const { id, state, name } = environment
  if (state === 'available' && environment.auto_delete_at === null) return
  await tx.db
    .updateTable('environments')
    .set({ state: 'available', auto_delete_at: null, updated_at: tx.now })
    .where('id', '=', id)
    .execute()
  if (state === 'available') return
  record(tx, {
    name: 'environment started',
    namespace,
    target: { type: 'Environment', id },
    details: { environment: name },
  })
}
