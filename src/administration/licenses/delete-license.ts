import type { Tx } from '#platform/db/transaction.ts'
import { announce } from '#platform/db/watched.ts'
import { record } from '#platform/facts/record.ts'
import { notFound } from '#platform/refusals.ts'
import { LICENSES_CHANNEL } from './current-license.ts'

/**
 * Deletes a license; its plan ends at once.
 * @throws 404 when it is gone.
 */
export async function deleteLicense(tx: Tx, id: number): Promise<void> {
  const deleted = await tx.db
    .deleteFrom('licenses')
    .where('id', '=', id)
    .returning(['plan', 'starts_at', 'expires_at', 'company'])
    .executeTakeFirstOrThrow(() => notFound('License'))
  await announce(tx, LICENSES_CHANNEL)
  record(tx, {
    name: 'license deleted',
    namespace: null,
    target: { type: 'License', id },
    details: deleted,
  })
}
