import { type Static, Type } from 'typebox'
import { entity, integer, moment, nullable } from '#platform/http/schema.ts'
import { iso } from '#platform/http/time.ts'
import { nameOf } from './names.ts'

/** A tag, as lists have it. */
export const RegistryTag = entity('RegistryTag', {
  name: Type.String(),
  path: Type.String({ description: 'The name of the repository and of the tag.' }),
  location: Type.String({ description: 'How clients name the image.' }),
})

export const RegistryTagDetails = entity('RegistryTagDetails', {
  ...RegistryTag.properties,
  revision: nullable(
    Type.String({ description: "The digest of the image's configuration, without its kind." }),
  ),
  short_revision: nullable(Type.String()),
  digest: Type.String({ description: 'Of the manifest.' }),
  created_at: nullable(moment()),
  total_size: nullable(integer({ description: 'The bytes of all that the manifest names.' })),
})

export const RegistryRepository = entity('RegistryRepository', {
  id: integer(),
  name: Type.String({ description: "What follows the project's path; blank for the project's own." }),
  path: Type.String(),
  project_id: integer(),
  location: Type.String({ description: 'How clients name its images.' }),
  created_at: moment(),
  cleanup_policy_started_at: nullable(moment()),
  status: nullable(
    Type.Unsafe<RepositoryStatus>({
      type: 'string',
      enum: ['delete_scheduled', 'delete_ongoing', 'delete_failed'],
    }),
  ),
  delete_api_path: Type.String(),
  tags_count: Type.Optional(integer()),
  tags: Type.Optional(Type.Array(RegistryTag)),
  size: Type.Optional(nullable(integer())),
})

type RepositoryStatus = 'delete_scheduled' | 'delete_ongoing' | 'delete_failed'

export interface RepositoryRow {
  readonly id: number
  readonly name: string
  readonly project_id: number
  readonly full_path: string
  readonly created_at: string
  readonly cleanup_policy_started_at: string | null
  readonly status: RepositoryStatus | null
}

/** Where repositories are, for whoever presents them. */
export interface Addresses {
  /** The host of the registry. */
  readonly host: string
  readonly site: string
}

export function presentRepository(
  row: RepositoryRow,
  { host, site }: Addresses,
): Static<typeof RegistryRepository> {
  const path = nameOf(row.full_path, row.name)
  return {
    id: row.id,
    name: row.name,
    path,
    project_id: row.project_id,
    location: `${host}/${path}`,
    created_at: iso(row.created_at),
    cleanup_policy_started_at: row.cleanup_policy_started_at && iso(row.cleanup_policy_started_at),
    status: row.status,
    delete_api_path: `${site}/api/v4/projects/${row.project_id}/registry/repositories/${row.id}`,
  }
}

export const presentTag = (
  row: Pick<RepositoryRow, 'name' | 'full_path'>,
  name: string,
  host: string,
): Static<typeof RegistryTag> => {
  const path = `${nameOf(row.full_path, row.name)}:${name}`
  return { name, path, location: `${host}/${path}` }
}

export interface TagDetails {
  readonly name: string
  readonly digest: string
  readonly config: string | null
  readonly total_size: number
  readonly created_at: string
}

export const presentTagDetails = (
  row: Pick<RepositoryRow, 'name' | 'full_path'>,
  tag: TagDetails,
  host: string,
): Static<typeof RegistryTagDetails> => ({
  ...presentTag(row, tag.name, host),
  revision: tag.config,
  short_revision: tag.config?.slice(0, 9) ?? null,
  digest: `sha256:${tag.digest}`,
  created_at: iso(tag.created_at),
  total_size: tag.total_size,
})
