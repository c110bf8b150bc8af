import type { Clock } from '#platform/context.ts'
import type { Db } from '#platform/db/pool.ts'
import { isoOrNull } from '#platform/http/time.ts'
import { unauthorized } from '#platform/refusals.ts'
import { insufficientScope } from './authentication.ts'
import type { SentDeployToken } from './credentials.ts'
import type { TreePosition } from './containers.ts'
import type { ContainerKind } from './container-sources.ts'
import { type DeployTokenScope, isDeployTokenScope } from './deploy-token-scopes.ts'
import type { LastUsed } from './last-used.ts'
import type { ActingDeployToken } from './viewer.ts'

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
 * Identifies a deploy token. One statement.
 * @param sent the digest of the secret, and the username where the request has one
 * @returns undefined for a secret that is unknown, has expired or belongs to another username, and when the token's
 * project or group is gone. The caller says which projects it may use, with {@link reaches}.
 */
export async function identifyDeployToken(
  { db, clock, lastUsed }: Source,
  { digest, username }: { readonly digest: Buffer; readonly username?: string | undefined },
): Promise<IdentifiedDeployToken | undefined> {
  const token = await db
    .selectFrom('deploy_tokens as t')
    .innerJoin('namespaces as n', 'n.id', 't.namespace_id')
    .select(['t.id', 't.namespace_id', 't.username', 't.scopes', 't.expires_at', 't.last_used_at', 'n.kind'])
    .where('t.digest', '=', digest)
    .where('n.deleted_at', 'is', null)
    .executeTakeFirst()
  if (token === undefined || hasExpired(token, clock.now().toISOString())) return undefined
  const own = usernameOf(token)
  if (username !== undefined && own !== username) return undefined
  lastUsed.note({ id: token.id, kind: 'deploy token', last_used_at: token.last_used_at })
  return {
    id: token.id,
    username: own,
    scopes: token.scopes.filter(isDeployTokenScope),
    kind: token.kind === 'project' ? 'project' : 'group',
    namespace_id: token.namespace_id,
  }
}

/** Whether a deploy token that was identified before is still there, and with it its project or group. */
export async function identifiesStill(db: Db, id: number, now: string): Promise<boolean> {
  const token = await db
    .selectFrom('deploy_tokens as t')
    .innerJoin('namespaces as n', 'n.id', 't.namespace_id')
    .select('t.expires_at')
    .where('t.id', '=', id)
    .where('n.deleted_at', 'is', null)
    .executeTakeFirst()
  return token !== undefined && !hasExpired(token, now)
}

/**
 * Identifies the deploy token that a request sends to a route that takes one.
 * @param needed one of these scopes is enough
 * @throws 401 for one that does not work, 403 without the scope
 */
export async function useDeployToken(
  source: Source,
  sent: SentDeployToken,
  needed: readonly DeployTokenScope[],
): Promise<ActingDeployToken> {
  const token = await identifyDeployToken(source, sent)
  if (token === undefined) throw unauthorized()
  if (!needed.some((scope) => token.scopes.includes(scope))) throw insufficientScope(needed)
  return { id: token.id, namespaceId: token.namespace_id }
}

/** The name with which a program signs in. */
export const usernameOf = ({
  id,
  username,
}: {
  readonly id: number
  readonly username: string | null
}): string => username ?? `gitlab+deploy-token-${id}`

/** @param now the moment of the request, which decides whether the token has expired. */
export function hasExpired({ expires_at }: { readonly expires_at: string | null }, now: string): boolean {
  const ends = isoOrNull(expires_at)
  return ends !== null && ends <= now
}

/** Whether a token is for a project: its own, or for the token of a group every one below the group. */
export const reaches = (
  { namespace_id }: Pick<IdentifiedDeployToken, 'namespace_id'>,
  { traversal_ids }: Pick<TreePosition, 'traversal_ids'>,
): boolean => traversal_ids.includes(namespace_id)
