import {
  type AuditedFacts,
  changeEventNames,
  changeEvents,
  event,
  eventForEach,
  namedTarget,
} from '#platform/facts/audited.ts'
import type { FieldChanges } from '#platform/facts/changes.ts'
import { fact, type DetailsOf } from '#platform/facts/definitions.ts'

interface ResourceName {
  readonly name: string
}

interface UpstreamPosition {
  /** The name of the registry. */
  readonly registry: string
  readonly upstream_id: number
  readonly position: number
}

export const virtualRegistryFacts = {
  'container registry created': fact<ResourceName>(),
  'container registry changed': fact<ResourceName & FieldChanges>(),
  'container registry deleted': fact<ResourceName>(),
  'container registry cache purged': fact<ResourceName>(),
  'container upstream created': fact<ResourceName & { url: string; username: string | null }>(),
  /** A new password is told, and not what it is. */
  'container upstream changed': fact<ResourceName & FieldChanges>(),
  'container upstream deleted': fact<ResourceName & { url: string }>(),
  'container upstream cache purged': fact<ResourceName>(),
  'container upstream cache entry deleted': fact<ResourceName & { path: string }>(),
  'container upstream tested': fact<ResourceName & { url: string; success: boolean }>(),
  'container upstream associated': fact<UpstreamPosition>(),
  'container upstream moved': fact<UpstreamPosition & { from: number }>(),
  'container upstream dissociated': fact<UpstreamPosition>(),
}

declare module '#platform/facts/fact.ts' {
  interface Facts extends DetailsOf<typeof virtualRegistryFacts> {}
}

const credentials = (username: string | null) => (username === null ? 'anonymous' : `as ${username}`)

export const auditedVirtualRegistry: AuditedFacts = {
  'container registry created': event(
    'container_virtual_registry_created',
    ({ target, details: { name } }) => ({
      ...namedTarget(target, name),
      details: { add: 'container virtual registry', custom_message: `Created virtual registry ${name}` },
    }),
  ),
  'container registry changed': eventForEach(
    changeEventNames('container_virtual_registry', {}),
    ({ target, details }) =>
      changeEvents('container_virtual_registry', {}, details, namedTarget(target, details.name)),
  ),
  'container registry deleted': event(
    'container_virtual_registry_deleted',
    ({ target, details: { name } }) => ({
      ...namedTarget(target, name),
      details: { remove: 'container virtual registry', custom_message: `Deleted virtual registry ${name}` },
    }),
  ),
  'container registry cache purged': event(
    'container_virtual_registry_cache_purged',
    ({ target, details: { name } }) => ({
      ...namedTarget(target, name),
      details: { custom_message: `Purged the cache of virtual registry ${name}` },
    }),
  ),
  'container upstream created': event('container_upstream_created', ({ target, details }) => ({
    ...namedTarget(target, details.name),
    details: {
      add: 'container upstream',
      custom_message: `Created upstream ${details.url}, asked ${credentials(details.username)}`,
    },
  })),
  'container upstream changed': eventForEach(
    changeEventNames('container_upstream', {}),
    ({ target, details }) =>
      changeEvents('container_upstream', {}, details, namedTarget(target, details.name)),
  ),
  'container upstream deleted': event('container_upstream_deleted', ({ target, details }) => ({
    ...namedTarget(target, details.name),
    details: { remove: 'container upstream', custom_message: `Deleted upstream ${details.url}` },
  })),
  'container upstream cache purged': event(
    'container_upstream_cache_purged',
    ({ target, details: { name } }) => ({
      ...namedTarget(target, name),
      details: { custom_message: `Purged the cache of upstream ${name}` },
    }),
  ),
  'container upstream cache entry deleted': event(
    'container_upstream_cache_entry_deleted',
    ({ target, details: { name, path } }) => ({
      ...namedTarget(target, name),
      details: {
        remove: 'cache entry',
        custom_message: `Deleted ${path} from the cache of upstream ${name}`,
      },
    }),
  ),
  'container upstream tested': event('container_upstream_tested', ({ target, details }) => ({
    ...(target?.type === 'Group' ? {} : namedTarget(target, details.name)),
    details: {
      custom_message: `Tested the connection to ${details.url}: it ${details.success ? 'works' : 'does not work'}`,
    },
  })),
  'container upstream associated': event('container_upstream_associated', ({ target, details }) => ({
    ...namedTarget(target, details.registry),
    details: {
      add: 'container upstream',
      custom_message: `Added upstream ${details.upstream_id} to virtual registry ${details.registry} at position ${details.position}`,
    },
  })),
  'container upstream moved': event('container_upstream_moved', ({ target, details }) => ({
    ...namedTarget(target, details.registry),
    details: {
      change: 'position',
      from: String(details.from),
      to: String(details.position),
      custom_message: `Moved upstream ${details.upstream_id} in virtual registry ${details.registry}`,
    },
  })),
  'container upstream dissociated': event('container_upstream_dissociated', ({ target, details }) => ({
    ...namedTarget(target, details.registry),
    details: {
      remove: 'container upstream',
      custom_message: `Removed upstream ${details.upstream_id} from virtual registry ${details.registry}`,
    },
  })),
}
