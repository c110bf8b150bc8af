import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import type { ApplicationRow } from './entity.ts'

/** Deletes an application and every token that it holds. */
export async function deleteApplication(tx: Tx, { id, name }: ApplicationRow): Promise<void> {
  await tx.db.deleteFrom('applications').where('id', '=', id).execute()
  record(tx, {
    name: 'application deleted',
    namespace: null,
    target: { type: 'Application', id },
    details: { name },
  })
}
