import { type Static, Type } from 'typebox'
import type { SshKeyUsage } from '#platform/db/schema.ts'
import { entity, integer, list, moment, nullable, oneOf } from '#platform/http/schema.ts'
import { iso, isoOrNull } from '#platform/http/time.ts'
import { UserSelf } from '#identity/users/entity.ts'

export const usages: readonly SshKeyUsage[] = ['auth_and_signing', 'auth', 'signing']

/** An SSH key as the API presents it. */
export const SshKey = entity('SshKey', {
  id: integer(),
  title: Type.String(),
  key: Type.String({ description: 'The public key. The name of its owner replaces the comment.' }),
  created_at: moment(),
  expires_at: nullable(moment()),
  last_used_at: nullable(moment()),
  usage_type: oneOf(usages, { description: 'Whether it serves to sign in, to sign commits, or both.' }),
})

/** That a deploy key is enabled in a project. */
export const KeyInProject = entity('KeyInProject', {
  id: integer(),
  deploy_key_id: integer(),
  project_id: integer(),
  can_push: Type.Boolean(),
  created_at: moment(),
  updated_at: moment(),
})

/** A key as administrators find it. */
export const SshKeyWithUser = entity('SshKeyWithUser', {
  ...SshKey.properties,
  /** The owner; of a deploy key, who added it. */
  user: nullable(UserSelf),
  deploy_keys_projects: Type.Optional(
    list(KeyInProject, { description: 'Only for deploy keys: at most 100 projects in which it is enabled.' }),
  ),
})

export interface KeyRow {
  readonly id: number
  readonly title: string
  readonly key: string
  readonly created_at: string
  readonly expires_at: string | null
  readonly last_used_at: string | null
  readonly usage_type: SshKeyUsage
}

export const keyColumns = [
  'id',
  'title',
  'key',
  'created_at',
  'expires_at',
  'last_used_at',
  'usage_type',
] as const

/** What the answers about all kinds of keys share. */
export function presentKey(row: KeyRow): Static<typeof SshKey> {
  return {
    id: row.id,
    title: row.title,
    key: row.key,
    created_at: iso(row.created_at),
    expires_at: isoOrNull(row.expires_at),
    last_used_at: isoOrNull(row.last_used_at),
    usage_type: row.usage_type,
  }
}

/**
 * Presents the key of a person. Their name takes the place of the comment, which often is a mail address.
 * @param site where the web pages live: `req.site`.
 */
export function presentSshKey(
  row: KeyRow,
  { name }: { readonly name: string },
  site: string,
): Static<typeof SshKey> {
  const owner = `${name.replace(/\s+/g, ' ')} (${new URL(site).hostname})`
  return presentKey({ ...row, key: `${row.key} ${owner}` })
}
