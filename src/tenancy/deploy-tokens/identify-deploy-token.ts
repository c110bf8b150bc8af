import { digestOf } from '#platform/access/digest.ts'
import type { LastUsed } from '#platform/access/last-used.ts'
import type { TreePosition } from '#platform/access/containers.ts'
import type { ContainerKind } from '#platform/access/container-sources.ts'
import type { Clock } from '#platform/context.ts'
import type { Db } from '#platform/db/pool.ts'
import { hasExpired, usernameOf } from './entity.ts'
import { isDeployTokenScope, type DeployTokenScope } from './scopes.ts'

/** A deploy token that a request proved to have. */
export interface IdentifiedDeployToken {
  readonly id: number
  readonly username: string
  readonly scopes: readonly DeployTokenScope[]
  /** The project or group that it belongs to. */
  readonly kind: ContainerKind
  readonly namespace_id: number
}

interface Source {
  readonly db: Db
  readonly clock: Clock
  readonly lastUsed: LastUsed
}

/**
 * Identifies a deploy token, for git and the registries: the API accepts none. One statement.
 * @returns undefined for a secret that is unknown, has expired or belongs to another username, and when the token's
 * project or group is gone. The caller says which projects it may use, with {@link reaches}.
 */
export async function identifyDeployToken(
  { db, clock, lastUsed }: Source,
  username: string,
  secret: string,
): Promise<IdentifiedDeployToken | undefined> {
  const token = await db
    .selectFrom('deploy_tokens as t')
    .innerJoin('namespaces as n', 'n.id', 't.namespace_id')
    .select(['t.id', 't.namespace_id', 't.username', 't.scopes', 't.expires_at', 't.last_used_at', 'n.kind'])
    .where('t.digest', '=', digestOf(secret))
    .where('n.deleted_at', 'is', null)
    .executeTakeFirst()
  if (token === undefined || hasExpired(token, clock.now().toISOString())) return undefined
  if (usernameOf(token) !== username) return undefined
  lastUsed.note({ id: token.id, kind: 'deploy token', last_used_at: token.last_used_at })
  return {
    id: token.id,
    username,
    scopes: token.scopes.filter(isDeployTokenScope),
    kind: token.kind === 'project' ? 'project' : 'group',
    namespace_id: token.namespace_id,
  }
}

/** Whether a token is for a project: its own, or for the token of a group every one below the group. */
export const reaches = (
  { namespace_id }: Pick<IdentifiedDeployToken, 'namespace_id'>,
  { traversal_ids }: Pick<TreePosition, 'traversal_ids'>,
): boolean => traversal_ids.includes(namespace_id)
