import { type RawBuilder, sql } from 'kysely'
import type { Static } from 'typebox'
import { basicColumns } from '#code/pipelines/entity.ts'
import { userBasicJson, type UserBasicRow } from '#identity/users/basic.ts'
import type { Viewer } from '#platform/access/viewer.ts'
import type { Db } from '#platform/db/pool.ts'
import type { PackageType } from '#platform/db/schema.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { notFound } from '#platform/refusals.ts'
import { isReadableAt } from '../readable-projects.ts'
import type { GroupPackageFilter, PackageFilter } from './parameters.ts'
import type { PackagePipelineRow, PackageRow } from './entity.ts'
import { servedStatuses, shownStatuses } from './types.ts'

/** A pipeline with the user who started it, as JSON; null for none. */
const pipelineJson = (id: RawBuilder<number | null>) =>
  sql<PackagePipelineRow | null>`(select json_build_object(${sql.join(
    basicColumns.flatMap((name) => [sql.lit(name), sql.ref(`p.${name}`)]),
  )}, 'user', (select ${userBasicJson('u')} from users u where u.id = p.user_id)) from pipelines p where p.id = ${id})`

const tagsJson = (alias: string) =>
  sql<
    string[]
  >`(select coalesce(json_agg(t.name order by t.name), '[]') from package_tags t where t.package_id = ${sql.ref(`${alias}.id`)})`

const packages = (db: Db) =>
  db
    .selectFrom('packages as k')
    .innerJoin('projects as p', 'p.id', 'k.project_id')
    .innerJoin('namespaces as n', 'n.id', 'p.project_namespace_id')
    .select([
      'k.id',
      'k.name',
      'k.version',
      'k.package_type',
      'k.status',
      'k.created_at',
      'k.last_downloaded_at',
      'k.project_id',
      'n.full_path as project_path',
      tagsJson('k').as('tags'),
      pipelineJson(sql`(select max(b.pipeline_id) from package_pipelines b where b.package_id = k.id)`).as(
        'pipeline',
      ),
    ])

export const packagesOf = (db: Db, projectId: number) => packages(db).where('k.project_id', '=', projectId)

/** The packages of the projects below a group, as far as the viewer may see them. */
export function packagesBelow(
  db: Db,
  viewer: Viewer,
  groupId: number,
  { exclude_subgroups }: Pick<Static<typeof GroupPackageFilter>, 'exclude_subgroups'>,
) {
  const below = exclude_subgroups
    ? sql<boolean>`n.parent_id = ${groupId}`
    : sql<boolean>`n.traversal_ids @> array[${groupId}::bigint]`
  return packages(db).where(isReadableAt('k.project_id', viewer, 'package_registry', below))
}

type Packages = ReturnType<typeof packages>

/** Applies what a list is asked for. */
export function filterPackages(
  list: Packages,
  {
    package_type,
    package_name,
    package_version,
    include_versionless,
    status,
  }: Omit<Static<typeof PackageFilter>, 'order_by'>,
): Packages {
  return list
    .where('k.status', 'in', status === undefined ? [...shownStatuses] : [status])
    .$if(package_type !== undefined, (q) => q.where('k.package_type', '=', package_type ?? 'generic'))
    .$if(package_name !== undefined, (q) =>
      q.where(sql<boolean>`position(lower(${package_name ?? ''}) in lower(k.name)) > 0`),
    )
    .$if(package_version !== undefined, (q) => q.where('k.version', '=', package_version ?? ''))
    .$if(!include_versionless, (q) => q.where('k.version', 'is not', null))
}

/** A package that is not about to go. @throws 404 */
export const findPackage = (db: Db, projectId: number, id: number) =>
  packagesOf(db, projectId)
    .where('k.id', '=', id)
    .where('k.status', 'in', [...shownStatuses, 'hidden'])
    .executeTakeFirstOrThrow(() => notFound('Package'))

/** Versions beside a package that are shown with it. */
const MOST_VERSIONS = 100

/** The newest other versions of a package. */
export const otherVersions = (db: Db, { id, project_id, package_type, name }: PackageRow) =>
  db
    .selectFrom('packages as k')
    .select(['k.id', 'k.version', 'k.created_at', tagsJson('k').as('tags')])
    .where('k.project_id', '=', project_id)
    .where('k.package_type', '=', package_type)
    .where('k.name', '=', name)
    .where('k.id', '<>', id)
    .where('k.status', 'in', [...shownStatuses])
    .orderBy('k.id', 'desc')
    .limit(MOST_VERSIONS)
    .execute()

const packageFiles = (db: Db) =>
  db
    .selectFrom('package_files as f')
    .select([
      'f.id',
      'f.package_id',
      'f.created_at',
      'f.file_name',
      'f.size',
      'f.md5',
      'f.sha1',
      'f.sha256',
      pipelineJson(sql`f.pipeline_id`).as('pipeline'),
    ])

export const packageFilesOf = (db: Db, packageId: number) =>
  packageFiles(db).where('f.package_id', '=', packageId)

/** A file that was just published. @throws 404 when it is gone already */
export const packageFile = (db: Db, id: number) =>
  packageFiles(db)
    .where('f.id', '=', id)
    .executeTakeFirstOrThrow(() => notFound('Package File'))

/** The pipelines whose jobs published a package. */
export const packagePipelinesOf = (db: Db, packageId: number) =>
  db
    .selectFrom('package_pipelines as b')
    .innerJoin('pipelines as p', 'p.id', 'b.pipeline_id')
    .select(basicColumns.map((name) => `p.${name}` as const))
    .select(
      sql<UserBasicRow | null>`(select ${userBasicJson('u')} from users u where u.id = p.user_id)`.as('user'),
    )
    .where('b.package_id', '=', packageId)

/** What names a file of a package, as clients of its format do. */
export interface NamedFile {
  readonly type: PackageType
  readonly name: string
  /** Undefined where the name of the file says it, null for files of no version. */
  readonly version?: string | null
  readonly fileName: string
}

/** The newest file under a name, of a package that may be downloaded. */
export const servedFile = (db: Db, projectId: number, { type, name, version, fileName }: NamedFile) =>
  db
    .selectFrom('packages as k')
    .innerJoin('package_files as f', 'f.package_id', 'k.id')
    .select(['k.id as package_id', 'k.last_downloaded_at', 'f.file_id', 'f.file_name'])
    .where('k.project_id', '=', projectId)
    .where('k.package_type', '=', type)
    .where('k.name', '=', name)
    .$if(version !== undefined, (q) => q.where('k.version', 'is not distinct from', version ?? null))
    .where('k.status', 'in', [...servedStatuses])
    .where('f.file_name', '=', fileName)
    .orderBy('f.id', 'desc')
    .limit(1)
    .executeTakeFirst()

/** A package counts as downloaded once in this time: a busy one is not written by each download. */
const NOTED_EVERY = 60_000

/** Whether a download must be written down. */
export const isWorthNoting = (last: string | null, now: Date): boolean =>
  last === null || now.getTime() - Date.parse(last) >= NOTED_EVERY

/** Writes down that a package was downloaded. */
export const noteDownload = (tx: Tx, packageId: number) =>
  tx.db.updateTable('packages').set({ last_downloaded_at: tx.now }).where('id', '=', packageId).execute()
