import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import type { KeyRow } from './entity.ts'

/**
 * Deletes an SSH key of a user. It stops working at once.
 * @param user locked by `lockUser`.
 */
export async function deleteKey(
  tx: Tx,
  user: { readonly id: number },
  { id, title }: Pick<KeyRow, 'id' | 'title'>,
): Promise<void> {
  const { fingerprint_sha256, key } = await tx.db
    .deleteFrom('ssh_keys')
    .where('id', '=', id)
    .returning(['fingerprint_sha256', 'key'])
    .executeTakeFirstOrThrow()
  record(tx, {
    name: 'SSH key deleted',
    namespace: null,
    target: { type: 'Key', id },
    details: { title, fingerprint_sha256, key, user_id: user.id },
  })
}
