import type { PackageStatus, PackageType } from '#platform/db/schema.ts'

export const packageTypes = [
  'maven',
  'npm',
  'conan',
  'nuget',
  'pypi',
  'composer',
  'generic',
  'golang',
  'debian',
  'rubygems',
  'helm',
  'terraform_module',
  'ml_model',
  'cargo',
] as const satisfies readonly PackageType[]

export const packageStatuses = [
  'default',
  'hidden',
  'processing',
  'error',
  'pending_destruction',
  'deprecated',
] as const satisfies readonly PackageStatus[]

/** What lists show that ask for no status. */
export const shownStatuses = ['default', 'error', 'deprecated'] as const satisfies readonly PackageStatus[]

/** What can be downloaded. */
export const servedStatuses = ['default', 'hidden', 'deprecated'] as const satisfies readonly PackageStatus[]

/** A project that has packages. */
export interface PackagePlace {
  readonly id: number
  readonly namespace_id: number
}

/** What people call a version of a package. */
export const titleOf = ({
  name,
  version,
}: {
  readonly name: string
  readonly version: string | null
}): string => (version === null ? name : `${name}/${version}`)
