/** What a token may be used for. */
export const scopes = [
  'api',
  'read_api',
  'read_user',
  'read_repository',
  'write_repository',
  'read_registry',
  'write_registry',
  'read_virtual_registry',
  'write_virtual_registry',
  'sudo',
  'admin_mode',
  'create_runner',
  'manage_runner',
  'ai_features',
  'k8s_proxy',
  'self_rotate',
  'read_service_ping',
] as const

export type Scope = (typeof scopes)[number]

/** Scopes that concern the whole instance. Only tokens of administrators have them. */
export const administratorScopes: readonly Scope[] = ['sudo', 'admin_mode', 'read_service_ping']

/** The scopes that tokens of projects and groups can have: none that concern the instance or a person. */
export const resourceScopes: readonly Scope[] = scopes.filter(
  (scope) => !administratorScopes.includes(scope) && scope !== 'read_user',
)

const known = new Set<string>(scopes)

export function isScope(name: string): name is Scope {
  return known.has(name)
}
