import { isAnyOf } from '#platform/db/any-of.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { forbidden } from '#platform/refusals.ts'
import { enqueue } from '#platform/jobs/enqueue.ts'
import { removingDeleted } from '#platform/jobs/remove-deleted.ts'
import type { EnvironmentRow } from './entity.ts'

/** An environment that this transaction has locked. */
export interface LockedEnvironment extends EnvironmentRow {
  /** Of its project. */
  readonly namespace: number
}

/**
 * Deletes environments with their deployments. From now on nobody sees them, and their names are free; a job removes the
 * rows.
 * @throws 403 unless they are stopped
 */
export async function hideEnvironments(tx: Tx, environments: readonly LockedEnvironment[]): Promise<void> {
  if (environments.length === 0) return
  if (environments.some(({ state }) => state !== 'stopped')) throw forbidden('stop the environment first')
  const ids = environments.map(({ id }) => id)
  await tx.db.updateTable('environments').set({ deleted_at: tx.now }).where(isAnyOf('id', ids)).execute()
  for (const { id, name, namespace } of environments) {
    record(tx, {
      name: 'environment deleted',
      namespace,
      target: { type: 'Environment', id },
      details: { environment: name },
    })
  }
  await enqueue(tx, removeEnvironments, {})
}

/** Removes the environments that {@link hideEnvironments} has hidden, and what was deployed there. */
export const removeEnvironments = removingDeleted('environments/remove', 'environments')
