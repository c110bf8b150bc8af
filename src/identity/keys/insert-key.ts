import type { Insertable } from 'kysely'
import type { SshKeys } from '#platform/db/schema.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { invalid, taken } from '#platform/refusals.ts'
import { keyColumns, type KeyRow } from './entity.ts'
import type { PublicKey } from './public-key.ts'

type Columns = Insertable<SshKeys>

/** A key to be added, and whose it is. */
export interface AddedKey
  extends
    Pick<Columns, 'title' | 'usage_type' | 'user_id' | 'created_by_id' | 'public'>,
    Pick<PublicKey, 'fingerprint' | 'fingerprint_sha256'> {
  /** As it is stored, with or without a comment. */
  readonly key: string
  readonly expires_at: string | undefined
}

/**
 * Inserts the row; the caller records the event.
 * @returns undefined when the instance has the key already, whoever added it.
 * @throws 400 for a key that has expired.
 */
export async function insertKey(tx: Tx, { expires_at, ...key }: AddedKey): Promise<KeyRow | undefined> {
  if (expires_at !== undefined && expires_at <= tx.now) throw invalid({ key: ['has expired'] })
  return tx.db
    .insertInto('ssh_keys')
    .values({ ...key, expires_at: expires_at ?? null, created_at: tx.now })
    .onConflict((conflict) => conflict.column('fingerprint_sha256').doNothing())
    .returning(keyColumns)
    .executeTakeFirst()
}

/** The refusal of a key that somebody added before. */
export const fingerprintTaken = () => taken('fingerprint_sha256')
