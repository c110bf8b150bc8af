/** What a deploy token may be used for. */
export const deployTokenScopes = [
  'read_repository',
  'read_registry',
  'write_registry',
  'read_package_registry',
  'write_package_registry',
  'read_virtual_registry',
  'write_virtual_registry',
] as const

export type DeployTokenScope = (typeof deployTokenScopes)[number]

const known = new Set<string>(deployTokenScopes)

export const isDeployTokenScope = (name: string): name is DeployTokenScope => known.has(name)
