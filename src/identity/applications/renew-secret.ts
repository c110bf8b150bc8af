import { digestOf } from '#platform/access/digest.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import type { ApplicationRow, FreshApplication } from './entity.ts'
import { newClientSecret } from './secret.ts'

/** Gives an application a new secret. The old one stops working at once; tokens made with it stay valid. */
export async function renewSecret(tx: Tx, application: ApplicationRow): Promise<FreshApplication> {
  const secret = newClientSecret(tx)
  await tx.db
    .updateTable('applications')
    .set({ secret_digest: digestOf(secret), updated_at: tx.now })
    .where('id', '=', application.id)
    .execute()
  record(tx, {
    name: 'application secret renewed',
    namespace: null,
    target: { type: 'Application', id: application.id },
    details: { name: application.name },
  })
  return { ...application, updated_at: tx.now, secret }
}
