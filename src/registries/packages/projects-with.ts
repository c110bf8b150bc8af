import { sql } from 'kysely'
import type { Viewer } from '#platform/access/viewer.ts'
import type { Db } from '#platform/db/pool.ts'
import type { PackageType } from '#platform/db/schema.ts'
import { isReadableAt } from '../readable-projects.ts'
import { servedStatuses } from './types.ts'

/** Projects of one group that are asked for the same package. */
const MOST_PROJECTS = 100

interface Wanted {
  readonly type: PackageType
  readonly name: string
  /** The id of the group. */
  readonly below: number
}

/** The projects below a group that have a package and let a viewer read it, those first that got a version of it last. */
export async function projectsWith(
  db: Db,
  viewer: Viewer,
  { type, name, below }: Wanted,
): Promise<readonly number[]> {
  const inGroup = sql<boolean>`n.traversal_ids @> array[${below}::bigint]`
  const rows = await db
    .selectFrom('packages as k')
    .innerJoin('projects as p', 'p.id', 'k.project_id')
    .innerJoin('namespaces as n', 'n.id', 'p.project_namespace_id')
    .select('k.project_id as id')
    .where('k.package_type', '=', type)
    .where('k.name', '=', name)
    .where('k.status', 'in', [...servedStatuses])
    .where(isReadableAt('k.project_id', viewer, 'package_registry', inGroup))
    .groupBy('k.project_id')
    .orderBy(sql`max(k.id)`, 'desc')
    .limit(MOST_PROJECTS)
    .execute()
  return rows.map(({ id }) => id)
}
