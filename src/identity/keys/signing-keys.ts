import { sql } from 'kysely'
import type { Db } from '#platform/db/pool.ts'
import { keyColumns, type KeyRow } from './entity.ts'

/** A key that serves to sign, and its owner. */
export interface SigningKey extends KeyRow {
  /** The name of the owner. */
  readonly owner: string
  /** Whether the owner has confirmed the address in question. */
  readonly ownsEmail: boolean
}

/** Finds the key of a user that signs, by its SHA-256. Keys that only sign in do not count, nor do deploy keys. */
export function findSigningKey(db: Db, fingerprint: string, email: string): Promise<SigningKey | undefined> {
  return db
    .selectFrom('ssh_keys as k')
    .innerJoin('users as u', 'u.id', 'k.user_id')
    .select(keyColumns.map((name) => `k.${name}` as const))
    .select([
      'u.name as owner',
      sql<boolean>`(lower(u.email) = lower(${email}) and u.confirmed_at is not null)`.as('ownsEmail'),
    ])
    .where('k.fingerprint_sha256', '=', fingerprint)
    .where('k.usage_type', '<>', 'auth')
    .where('u.deleted_at', 'is', null)
    .executeTakeFirst()
}
