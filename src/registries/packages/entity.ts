import { type Static, Type } from 'typebox'
import {
  PipelineBasic,
  type PipelineBasicRow,
  presentPipelineBasic,
  type ProjectSite,
} from '#code/pipelines/entity.ts'
import { presentUserBasic, UserBasic, type UserBasicRow } from '#identity/users/basic.ts'
import type { PackageStatus, PackageType } from '#platform/db/schema.ts'
import { entity, integer, list, moment, nullable, oneOf } from '#platform/http/schema.ts'
import { iso, isoOrNull } from '#platform/http/time.ts'
import { packageStatuses, packageTypes } from './types.ts'

/** A pipeline whose job published a package. */
export const PackagePipeline = entity('PackagePipeline', {
  ...PipelineBasic.properties,
  user: nullable(UserBasic),
})

const base = {
  id: integer(),
  name: Type.String(),
  version: nullable(Type.String()),
  package_type: oneOf<PackageType>(packageTypes),
  status: oneOf<PackageStatus>(packageStatuses),
  _links: Type.Object({
    web_path: Type.String(),
    delete_api_path: Type.Optional(Type.String({ description: 'For those who may delete it.' })),
  }),
  created_at: moment(),
  last_downloaded_at: nullable(moment()),
  project_id: integer(),
  project_path: Type.String(),
  tags: list(Type.String({ description: 'Names that stand for it, such as `latest`.' })),
  pipeline: Type.Optional(PackagePipeline),
  pipelines: list(PackagePipeline),
}

/** A version of a package. */
export const Package = entity('Package', base)

const PackageVersion = Type.Object({
  id: integer(),
  version: nullable(Type.String()),
  created_at: moment(),
  tags: list(Type.String()),
})

/** The same by itself, with the newest of the other versions. */
export const PackageWithVersions = entity('PackageWithVersions', { ...base, versions: list(PackageVersion) })

export const PackageFile = entity('PackageFile', {
  id: integer(),
  package_id: integer(),
  created_at: moment(),
  file_name: Type.String(),
  size: integer(),
  file_md5: nullable(Type.String()),
  file_sha1: nullable(Type.String()),
  file_sha256: nullable(Type.String()),
  pipelines: list(PackagePipeline),
})

export interface PackageRow {
  readonly id: number
  readonly name: string
  readonly version: string | null
  readonly package_type: PackageType
  readonly status: PackageStatus
  readonly created_at: string
  readonly last_downloaded_at: string | null
  readonly project_id: number
  readonly project_path: string
  readonly tags: readonly string[]
  /** The one whose job has published something of it last. */
  readonly pipeline: PackagePipelineRow | null
}

/** A version beside the one that was asked for. */
export interface PackageVersionRow {
  readonly id: number
  readonly version: string | null
  readonly created_at: string
  readonly tags: readonly string[]
}

/** What whoever asks may see and do. */
export interface PackageAudience extends ProjectSite {
  readonly mayDelete: boolean
  readonly seesPipelines: boolean
}

export const presentPackage = (row: PackageRow, audience: PackageAudience): Static<typeof Package> => ({
  id: row.id,
  name: row.name,
  version: row.version,
  package_type: row.package_type,
  status: row.status,
  _links: {
    web_path: `/${row.project_path}/-/packages/${row.id}`,
    ...(audience.mayDelete && {
      delete_api_path: `${audience.site}/api/v4/projects/${row.project_id}/packages/${row.id}`,
    }),
  },
  created_at: iso(row.created_at),
  last_downloaded_at: isoOrNull(row.last_downloaded_at),
  project_id: row.project_id,
  project_path: row.project_path,
  tags: [...row.tags],
  ...(row.pipeline !== null &&
    audience.seesPipelines && { pipeline: presentPackagePipeline(row.pipeline, audience) }),
  pipelines: pipelinesOf(row, audience),
})

const pipelinesOf = (
  { pipeline }: { readonly pipeline: PackagePipelineRow | null },
  audience: PackageAudience,
) => (pipeline === null || !audience.seesPipelines ? [] : [presentPackagePipeline(pipeline, audience)])

export const presentPackageWithVersions = (
  row: PackageRow,
  versions: readonly PackageVersionRow[],
  audience: PackageAudience,
): Static<typeof PackageWithVersions> => ({
  ...presentPackage(row, audience),
  versions: versions.map(({ id, version, created_at, tags }) => ({
    id,
    version,
    created_at: iso(created_at),
    tags: [...tags],
  })),
})

export interface PackageFileRow {
  readonly id: number
  readonly package_id: number
  readonly created_at: string
  readonly file_name: string
  readonly size: number
  readonly md5: Buffer
  readonly sha1: Buffer
  readonly sha256: Buffer
  readonly pipeline: PackagePipelineRow | null
}

export const presentPackageFile = (
  row: PackageFileRow,
  audience: PackageAudience,
): Static<typeof PackageFile> => ({
  id: row.id,
  package_id: row.package_id,
  created_at: iso(row.created_at),
  file_name: row.file_name,
  size: row.size,
  file_md5: row.md5.toString('hex'),
  file_sha1: row.sha1.toString('hex'),
  file_sha256: row.sha256.toString('hex'),
  pipelines: pipelinesOf(row, audience),
})

export interface PackagePipelineRow extends PipelineBasicRow {
  readonly user: UserBasicRow | null
}

export const presentPackagePipeline = (
  row: PackagePipelineRow,
  at: ProjectSite,
): Static<typeof PackagePipeline> => ({
  ...presentPipelineBasic(row, at),
  user: row.user === null ? null : presentUserBasic(row.user, at.site),
})
