import { administratorScopes, isScope } from '#platform/access/scopes.ts'

/**
 * The scopes that a request gets (RFC 6749 §3.3): those that it names, all of which the application must have. When it
 * names none, `api` if the application has it, as clients expect, and otherwise all.
 * @returns undefined when it asks for more, or for nothing.
 */
export function scopesFor(allowed: readonly string[], asked: string | undefined): string[] | undefined {
  const named = [...new Set((asked ?? '').split(' ').filter((scope) => scope !== ''))]
  if (named.length === 0) return allowed.includes('api') ? ['api'] : [...allowed]
  return named.every((scope) => allowed.includes(scope)) ? named : undefined
}

/** Leaves out the scopes that only administrators can grant: others would grant them for the day they become one. */
export function grantable(scopes: readonly string[], { admin }: { readonly admin: boolean }): string[] {
  return scopes.filter((scope) => admin || !isScope(scope) || !administratorScopes.includes(scope))
}
