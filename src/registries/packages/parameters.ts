import { Type } from 'typebox'
import type { PackageStatus, PackageType } from '#platform/db/schema.ts'
import { type ListOrder, orderParameters } from '#platform/http/order.ts'
import { ById, flag, integer, oneOf, text } from '#platform/http/schema.ts'
import { packageStatuses, packageTypes } from './types.ts'

const columns = {
  created_at: { column: 'k.created_at' },
  name: { column: 'k.name' },
  version: { column: 'k.version', nullable: true },
  type: { column: 'k.package_type' },
} as const

export const packageOrder: ListOrder = {
  of: 'Packages::Package',
  id: 'k.id',
  columns,
  by: 'created_at',
  sort: 'asc',
}

export const groupPackageOrder: ListOrder = {
  ...packageOrder,
  columns: { ...columns, project_path: { column: 'n.full_path' } },
}

export const packageFileOrder: ListOrder = {
  of: 'Packages::PackageFile',
  id: 'f.id',
  columns: {
    id: { column: 'f.id' },
    created_at: { column: 'f.created_at' },
    file_name: { column: 'f.file_name' },
  },
  by: 'id',
  sort: 'asc',
}

export const packagePipelineOrder: ListOrder = {
  of: 'Ci::Pipeline',
  id: 'p.id',
  columns: { id: { column: 'p.id' } },
  by: 'id',
  sort: 'desc',
  keyset: { orders: { id: ['desc'] }, availability: 'authenticated' },
}

const filters = {
  package_type: Type.Optional(oneOf<PackageType>(packageTypes)),
  package_name: Type.Optional(text({ description: 'A part of the name.' })),
  package_version: Type.Optional(text({ description: 'The whole version.' })),
  include_versionless: flag({
    default: false,
    description: 'Whether packages without a version are listed, too.',
  }),
  status: Type.Optional(
    oneOf<PackageStatus>(packageStatuses, {
      description: '`default`, `error` and `deprecated` if it is missing.',
    }),
  ),
}

export const PackageFilter = Type.Object({ ...orderParameters(packageOrder), ...filters })
export const GroupPackageFilter = Type.Object({
  ...orderParameters(groupPackageOrder),
  ...filters,
  exclude_subgroups: flag({ default: false }),
})

export const ByPackage = Type.Object({ ...ById.properties, package_id: integer() })
export const ByPackageFile = Type.Object({ ...ByPackage.properties, package_file_id: integer() })
