import type { SshKeyUsage } from '#platform/db/schema.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import type { KeyRow } from './entity.ts'
import { insertKey, fingerprintTaken } from './insert-key.ts'
import { readPublicKey } from './public-key.ts'

/** The requested attributes of a key. */
export interface NewKey {
  readonly title: string
  /** As in a `.pub` file. */
  readonly key: string
  readonly expires_at?: string
}

export interface NewSshKey extends NewKey {
  readonly usage_type?: SshKeyUsage
}

/**
 * Adds an SSH key to an account.
 * @param user locked by `lockUser`.
 * @throws 400 for what is no safe key, has expired, or was added before by anybody.
 */
export async function addKey(tx: Tx, user: { readonly id: number }, asked: NewSshKey): Promise<KeyRow> {
  const { title, expires_at, usage_type = 'auth_and_signing' } = asked
  const { text, fingerprint, fingerprint_sha256 } = readPublicKey(asked.key)
  const key = await insertKey(tx, {
    user_id: user.id,
    title,
    key: text,
    fingerprint,
    fingerprint_sha256,
    usage_type,
    expires_at,
  })
  if (key === undefined) throw fingerprintTaken()
  record(tx, {
    name: 'SSH key added',
    namespace: null,
    target: { type: 'Key', id: key.id },
    details: { title, fingerprint_sha256, usage_type, user_id: user.id },
  })
  return key
}
