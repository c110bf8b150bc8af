import type { Identity } from '#platform/access/identity.ts'
import { insufficientScope } from '#platform/access/authentication.ts'
import { administratorScopes, isScope, type Scope } from '#platform/access/scopes.ts'
import { forbidden, unauthorized } from '#platform/http/errors.ts'

/**
 * Lets a request have the secret of an access token, whether new or rotated. The secret outlives the credentials of
 * the request, so it must not open more than they do; and an application that somebody authorized must not keep
 * access beyond that authorization.
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

/** `api` opens everything except what concerns the instance as a whole. */
function covers(held: readonly string[], scope: Scope): boolean {
  return held.includes(scope) || (held.includes('api') && !administratorScopes.includes(scope))
}
