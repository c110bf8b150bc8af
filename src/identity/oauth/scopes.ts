import { administratorScopes, isScope } from '#platform/access/scopes.ts'

/**
 * The scopes that a request gets (RFC 6749 §3.3): what it names, all of which the application must have. Without any,
 * `api` when the application has it, as clients expect, otherwise all that it has.
 * @returns undefined when it asks for more, or for nothing.
 */
export function scopesFor(allowed: readonly string[], asked: string | undefined): string[] | undefined {
  const named = [...new Set((asked ?? '').split(' ').filter((scope) => scope !== ''))]
  if (named.length === 0) return allowed.includes('api') ? ['api'] : [...allowed]
  return named.every((scope) => allowed.includes(scope)) ? named : undefined
}

/** Without what only administrators can hand on; others would give it for the day they become one. */
export function grantable(scopes: readonly string[], { admin }: { readonly admin: boolean }): string[] {
  return scopes.filter((scope) => admin || !isScope(scope) || !administratorScopes.includes(scope))
}
