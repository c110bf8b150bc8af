import type { FastifyInstance } from 'fastify'
import { refusalOfState } from '#platform/access/authentication.ts'
import type { User } from '#platform/access/identity.ts'
import type { SshKeyUsage } from '#platform/db/schema.ts'
import type { Db } from '#platform/db/pool.ts'
import { iso } from '#platform/http/time.ts'

type Services = FastifyInstance['services']

/** A key with which somebody may ask for repositories. */
export interface KnownKey {
  readonly id: number
  readonly title: string
  /** Type and key in base64, and of a deploy key its comment. */
  readonly key: string
  readonly fingerprint: string
  readonly usage: SshKeyUsage
  readonly expires_at: string | null
  readonly last_used_at: string | null
  readonly isDeployKey: boolean
  /** Whose key it is; of a deploy key who added it, as long as they have an account. */
  readonly user: User | undefined
}

/** Finds a key by its number or its SHA-256. One statement. */
export async function findKey(
  db: Db,
  by: { readonly id: number } | { readonly fingerprint: string },
): Promise<KnownKey | undefined> {
  const row = await db
    .selectFrom('ssh_keys as k')
    .leftJoin('users as u', (join) =>
      join
        .on((on) => on('u.id', '=', on.fn.coalesce('k.user_id', 'k.created_by_id')))
        .on('u.deleted_at', 'is', null),
    )
    .select([
      'k.id',
      'k.title',
      'k.key',
      'k.fingerprint_sha256 as fingerprint',
      'k.usage_type as usage',
      'k.expires_at',
      'k.last_used_at',
      'k.user_id',
      'u.id as owner_id',
      'u.username',
      'u.name',
      'u.kind',
      'u.state',
      'u.admin',
      'u.external',
    ])
    .$call((query) =>
      'id' in by ? query.where('k.id', '=', by.id) : query.where('k.fingerprint_sha256', '=', by.fingerprint),
    )
    .executeTakeFirst()
  if (row === undefined) return undefined
  const { user_id, owner_id, username, name, kind, state, admin, external, ...key } = row
  const user =
    owner_id === null || username === null || name === null || kind === null || state === null
      ? undefined
      : { id: owner_id, username, name, kind, state, admin: admin === true, external: external === true }
  return { ...key, isDeployKey: user_id === null, user }
}

/** Why a key that is known may not be used now; undefined when it may. */
export function refusalOfKey(
  { isDeployKey, usage, expires_at, user }: KnownKey,
  now: Date,
): string | undefined {
  if (usage === 'signing') return 'This SSH key serves to sign commits, and not to sign in.'
  if (expires_at !== null && iso(expires_at) <= now.toISOString()) return 'This SSH key has expired.'
  if (isDeployKey) return undefined
  if (user === undefined) return 'The account of this SSH key is gone.'
  return refusalOfState(user.state)
}

/** For whom a key works, for what callers share. */
export const holderOf = ({ id, isDeployKey, user }: KnownKey): string =>
  isDeployKey || user === undefined ? `deploy key ${id}` : `user ${user.id}`

export const noteUse = ({ lastUsed }: Services, { id, last_used_at }: KnownKey): void =>
  lastUsed.note({ id, kind: 'SSH key', last_used_at })
