import type { Scope } from './scopes.ts'

/** What a token with the scope may do, in the words that people read when they grant it. */
export const scopeMeanings: Readonly<Record<Scope, string>> = {
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
