import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import type { LabelRow } from './entity.ts'

/**
 * Removes a label from everything that carries it.
 * @param label locked by `lockLabel`.
 */
export async function deleteLabel(tx: Tx, label: LabelRow): Promise<void> {
  await tx.db.deleteFrom('labels').where('id', '=', label.id).execute()
  record(tx, {
    name: 'label deleted',
    namespace: label.namespace_id,
    target: { type: 'Label', id: label.id },
    details: { label: label.name },
  })
}
