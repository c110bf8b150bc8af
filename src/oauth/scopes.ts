import { administratorScopes, isScope, type Scope } from '#access/scopes.ts'

/** What a token with the scope may do, as people read it on the consent page. */
export const meanings: Readonly<Record<Scope, string>> = {
  api: 'Read and change everything that you can: projects, groups, issues, settings and more',
  read_api: 'Read everything that you can',
  read_user: 'Read your profile, with your e-mail address, and those of others',
  read_repository: 'Read the repositories of your projects',
  write_repository: 'Read and change the repositories of your projects',
  read_registry: 'Read container images of your projects',
  write_registry: 'Read and write container images of your projects',
  read_virtual_registry: 'Read container images through virtual registries',
  write_virtual_registry: 'Read, write and delete container images through virtual registries',
  sudo: 'Act as any other user',
  admin_mode: 'Do what only administrators may',
  create_runner: 'Create runners',
  manage_runner: 'Manage runners',
  ai_features: 'Use features with artificial intelligence',
  k8s_proxy: 'Reach Kubernetes clusters through their agents',
  self_rotate: 'Replace its own token by a new one',
  read_service_ping: 'Read the statistics of this instance',
}

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
