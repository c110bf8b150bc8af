import { type RawBuilder, sql } from 'kysely'
import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { badRequest, notFound } from '#platform/refusals.ts'
import type { ListOrder } from '#platform/http/order.ts'
import { keyColumns, type KeyRow } from './entity.ts'

export const keyOrder: ListOrder = {
  of: 'Key',
  id: 'k.id',
  columns: { id: { column: 'k.id' } },
  by: 'id',
  sort: 'asc',
}

/** All keys: of people, and deploy keys. */
const keys = (db: Db | Tx['db']) =>
  db.selectFrom('ssh_keys as k').select(keyColumns.map((name) => `k.${name}` as const))

/** The SSH keys of a user. */
export const keysOfUser = (db: Db | Tx['db'], userId: number) => keys(db).where('k.user_id', '=', userId)

/** Finds one of a user's keys. @throws 404 `Key Not Found` */
export async function findKeyOf(db: Db | Tx['db'], userId: number, id: number): Promise<KeyRow> {
  return keysOfUser(db, userId)
    .where('k.id', '=', id)
    .executeTakeFirstOrThrow(() => notFound('Key'))
}

/** A key with its owner; a deploy key has none, but somebody may be known who added it. */
export interface OwnedKey extends KeyRow {
  readonly user_id: number | null
  readonly created_by_id: number | null
}

/** Finds a key of any kind. @throws 404 `Key Not Found` */
export async function findKey(db: Db, condition: RawBuilder<boolean>): Promise<OwnedKey> {
  return keys(db)
    .select(['k.user_id', 'k.created_by_id'])
    .where(condition)
    .orderBy('k.id')
    .limit(1)
    .executeTakeFirstOrThrow(() => notFound('Key'))
}

export const hasId = (id: number) => sql<boolean>`k.id = ${id}`

const SHA256 = /^(?:SHA256:)?([A-Za-z0-9+/]{43})=?$/
const MD5 = /^(?:MD5:)?((?:[0-9a-f]{2}:){15}[0-9a-f]{2})$/i

/** Whether a key has this fingerprint, of either kind. @throws 400 for what is none */
export function hasFingerprint(given: string): RawBuilder<boolean> {
  // A client that does not encode the `+` in its query has sent a space.
  const [, sha256] = SHA256.exec(given.replaceAll(' ', '+')) ?? []
  if (sha256 !== undefined) return sql`k.fingerprint_sha256 = ${`SHA256:${sha256}`}`
  const [, md5] = MD5.exec(given) ?? []
  if (md5 !== undefined) return sql`k.fingerprint = ${md5.toLowerCase()}`
  throw badRequest('the fingerprint is neither SHA-256 nor MD5')
}
