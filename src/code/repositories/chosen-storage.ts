import type { FastifyRequest } from 'fastify'
import { forbidden, invalidParameters } from '#platform/refusals.ts'
import type { ExtensionParameters } from '#tenancy/projects/extension-points.ts'
import { DEFAULT_STORAGE, type Storages } from './storages.ts'

/** @throws 400 for a name that the configuration does not know */
export function assertStorage(storages: Storages, parameter: string, name: string | undefined): void {
  if (name === undefined || storages.names.includes(name)) return
  throw invalidParameters([{ name: parameter, text: 'does not have a valid value', missing: false }])
}

/**
 * The storage that an administrator wants a project to be on.
 * @throws 400 for a name that the configuration does not know, 403 for everybody else
 */
export function chosenStorage(
  { repository_storage: wanted }: ExtensionParameters,
  { server, viewer }: FastifyRequest,
): string | undefined {
  if (wanted === undefined || wanted === null || wanted === '') return undefined
  assertStorage(server.services.repositories.storages, 'repository_storage', wanted)
  if (viewer.admin) return wanted
  // Clients send what they have read, so that alone is no wish for a change.
  if (wanted === DEFAULT_STORAGE) return undefined
  throw forbidden('only administrators can choose the repository_storage')
}
