import type { Selectable } from 'kysely'
import { type Static, Type } from 'typebox'
import type {
  ContainerCacheEntries,
  ContainerRegistries,
  ContainerRegistryUpstreams,
  ContainerUpstreams,
} from '#platform/db/schema.ts'
import { entity, flag, integer, moment, nullable } from '#platform/http/schema.ts'
import { iso } from '#platform/http/time.ts'

const times = { created_at: moment(), updated_at: moment() }
const position = integer({ minimum: 1, maximum: 20, description: 'Upstreams are asked in this order.' })

const registry = {
  id: integer(),
  group_id: integer(),
  name: Type.String(),
  description: nullable(Type.String()),
  ...times,
}

/** A virtual registry as lists have it. */
export const Registry = entity('ContainerVirtualRegistry', registry)

export const RegistryDetail = entity('ContainerVirtualRegistryDetail', {
  ...registry,
  registry_upstreams: Type.Array(Type.Object({ id: integer(), position, upstream_id: integer() })),
})

const upstream = {
  id: integer(),
  group_id: integer(),
  url: Type.String(),
  name: Type.String(),
  description: nullable(Type.String()),
  cache_validity_hours: integer(),
  username: nullable(Type.String()),
  ...times,
}
const ofUpstream = Type.Object({ id: integer(), registry_id: integer(), position })

/** An upstream without its password, which no answer has. */
export const Upstream = entity('ContainerUpstream', upstream)
export const UpstreamOfRegistry = entity('ContainerUpstreamOfRegistry', {
  ...upstream,
  registry_upstream: ofUpstream,
})
export const UpstreamDetail = entity('ContainerUpstreamDetail', {
  ...upstream,
  registry_upstreams: Type.Array(ofUpstream),
})

/** That a registry has an upstream. */
export const Association = entity('ContainerRegistryUpstream', {
  id: integer(),
  registry_id: integer(),
  upstream_id: integer(),
  position,
})

export const TestResult = entity('ContainerUpstreamTest', {
  success: flag(),
  result: Type.Optional(Type.String({ description: 'Why it did not succeed.' })),
})

export const CacheEntry = entity('ContainerCacheEntry', {
  id: integer(),
  group_id: integer(),
  upstream_id: integer(),
  relative_path: Type.String({
    description: 'Where the upstream has it: `library/alpine/manifests/latest`.',
  }),
  digest: Type.String(),
  content_type: Type.String(),
  size: integer({ description: 'In bytes.' }),
  upstream_etag: nullable(Type.String()),
  upstream_checked_at: moment({ description: 'When the upstream last said that it has this.' }),
  downloads_count: integer({ description: 'How often it was served.' }),
  downloaded_at: moment({ description: 'When it was last served, or else kept.' }),
  ...times,
})

export const registryColumns = ['id', 'group_id', 'name', 'description', 'created_at', 'updated_at'] as const
export const upstreamColumns = [
  'id',
  'group_id',
  'url',
  'name',
  'description',
  'cache_validity_hours',
  'username',
  'password',
  'credentials_digest',
  'created_at',
  'updated_at',
] as const
export const associationColumns = ['id', 'registry_id', 'upstream_id', 'position'] as const

export type RegistryRow = Pick<Selectable<ContainerRegistries>, (typeof registryColumns)[number]>
export type UpstreamRow = Pick<Selectable<ContainerUpstreams>, (typeof upstreamColumns)[number]>
export type AssociationRow = Pick<Selectable<ContainerRegistryUpstreams>, (typeof associationColumns)[number]>
export type CacheEntryRow = Omit<Selectable<ContainerCacheEntries>, 'file_id' | 'accept'>

export function presentRegistry(row: RegistryRow): Static<typeof Registry> {
  return { ...row, created_at: iso(row.created_at), updated_at: iso(row.updated_at) }
}

export function presentUpstream(row: UpstreamRow): Static<typeof Upstream> {
  const { id, group_id, url, name, description, cache_validity_hours, username } = row
  return {
    id,
    group_id,
    url,
    name,
    description,
    cache_validity_hours,
    username,
    created_at: iso(row.created_at),
    updated_at: iso(row.updated_at),
  }
}

export function presentCacheEntry(row: CacheEntryRow, groupId: number): Static<typeof CacheEntry> {
  return {
    id: row.id,
    group_id: groupId,
    upstream_id: row.upstream_id,
    relative_path: row.relative_path,
    digest: row.digest,
    content_type: row.media_type,
    size: row.size,
    upstream_etag: row.upstream_etag,
    upstream_checked_at: iso(row.upstream_checked_at),
    downloads_count: row.downloads_count,
    downloaded_at: iso(row.downloaded_at),
    created_at: iso(row.created_at),
    updated_at: iso(row.updated_at),
  }
}
