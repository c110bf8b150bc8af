import { integer } from '#platform/http/schema.ts'

/** The storage used by groups and projects, in bytes, by kind. */
export const StorageSizes = {
  storage_size: integer(),
  repository_size: integer(),
  wiki_size: integer(),
  lfs_objects_size: integer(),
  job_artifacts_size: integer(),
  pipeline_artifacts_size: integer(),
  packages_size: integer(),
  snippets_size: integer(),
  uploads_size: integer(),
}

/** Zero for every kind, because nothing is stored yet that counts. */
export const nothingStored: { readonly [Kind in keyof typeof StorageSizes]: number } = {
  storage_size: 0,
  repository_size: 0,
  wiki_size: 0,
  lfs_objects_size: 0,
  job_artifacts_size: 0,
  pipeline_artifacts_size: 0,
  packages_size: 0,
  snippets_size: 0,
  uploads_size: 0,
}
