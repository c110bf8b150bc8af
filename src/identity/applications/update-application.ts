import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { type NewApplication, readApplication } from './create-application.ts'
import type { ApplicationRow } from './entity.ts'

/**
 * Replaces an application's attributes. Its tokens keep their scopes.
 * @throws 400 as createApplication does.
 */
export async function updateApplication(
  tx: Tx,
  { id, scopes: had }: Pick<ApplicationRow, 'id' | 'scopes'>,
  asked: NewApplication,
  owner: { readonly admin: boolean },
): Promise<void> {
  const { name, confidential = true } = asked
  const { redirect_uris, scopes } = readApplication(asked, owner.admin, had)
  await tx.db
    .updateTable('applications')
    .set({ name, redirect_uris, scopes, confidential, updated_at: tx.now })
    .where('id', '=', id)
    .execute()
  record(tx, {
    name: 'application changed',
    namespace: null,
    target: { type: 'Application', id },
    details: { name, scopes, confidential },
  })
}
