import { invalid } from '#platform/refusals.ts'

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

/** Scopes that nothing asks for yet, and why. Who has one keeps it. */
const unused: ReadonlyMap<string, string> = new Map([
  ['ai_features', 'there are no features with artificial intelligence'],
  ['k8s_proxy', 'there are no agents of clusters yet'],
  ['read_service_ping', 'this instance reports to nobody'],
])

/** Whether something asks for the scope. */
export const isUsed = (scope: string): boolean => !unused.has(scope)

/** What speaks against giving a new token or application these scopes: a sentence for each that has no use. */
export function problemsOfUnused(asked: readonly string[]): string[] {
  return [...new Set(asked)].flatMap((scope) => {
    const reason = unused.get(scope)
    return reason === undefined ? [] : [`cannot contain ${scope}: ${reason}`]
  })
}

/** @throws 400 for scopes that have no use yet */
export function refuseUnused(asked: readonly string[]): void {
  const problems = problemsOfUnused(asked)
  if (problems.length > 0) throw invalid({ scopes: problems })
}
