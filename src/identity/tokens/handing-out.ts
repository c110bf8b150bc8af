import type { Identity } from '#platform/access/identity.ts'
import { insufficientScope } from '#platform/access/authentication.ts'
import { administratorScopes, isScope, type Scope } from '#platform/access/scopes.ts'
import { forbidden, unauthorized } from '#platform/refusals.ts'

/**
 * Checks whether a request may get the secret of an access token, whether new or rotated. The secret outlives the
 * request's credentials, so it must not grant more than they do. An authorized application must not keep access beyond
 * its authorization.
 *
 * @param scopes those of the token that is made or rotated.
 * @throws 403 for OAuth tokens, and `insufficient_scope` with the scopes that are missing.
 */
export function assertMayHandOut(identity: Identity | undefined, scopes: readonly string[]): void {
  if (identity === undefined) throw unauthorized()
  const { kind, scopes: held } = identity.credential
  if (kind === 'oauth') throw forbidden('Must be authenticated using a personal access token')
  if (held === 'all') return
  const missing = scopes.filter(isScope).filter((scope) => !covers(held, scope))
  if (missing.length > 0) throw insufficientScope(missing)
}

/** `api` covers every scope except those that concern the instance as a whole. */
function covers(held: readonly string[], scope: Scope): boolean {
  return held.includes(scope) || (held.includes('api') && !administratorScopes.includes(scope))
}
