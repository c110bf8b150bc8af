import { sql } from 'kysely'
import { projectFeatureOpenAt } from '#platform/access/project-feature-rules.ts'
import type { Viewer } from '#platform/access/viewer.ts'
import type { DeployedFilter } from '#code/merge-requests/list/extension-points.ts'
import { byIds, type ItemFilter } from '#planning/noteables/list/item-filter.ts'

/** The merge requests that came with one deployment. */
export const deployedWith = (deploymentId: number): ItemFilter =>
  byIds(
    sql`select x.merge_request_id as id from deployment_merge_requests x where x.deployment_id = ${deploymentId}`,
  )

/** The merge requests that came to an environment of that name, or to any, before or after a moment. */
export function deployedAs(
  { environment, deployed_before, deployed_after }: DeployedFilter,
  viewer: Viewer,
): ItemFilter {
  const conditions = [
    sql`d.status = 'success' and e.deleted_at is null`,
    ...(environment === undefined ? [] : [sql`e.name = ${environment}`]),
    ...(deployed_before === undefined ? [] : [sql`d.finished_at <= ${deployed_before}::timestamptz`]),
    ...(deployed_after === undefined ? [] : [sql`d.finished_at >= ${deployed_after}::timestamptz`]),
    // Whoever may not read environments learns nothing of them here.
    ...(['environments', 'builds'] as const).map((feature) =>
      projectFeatureOpenAt(feature, 'dp.settings', 'dn', viewer),
    ),
  ]
  const test = sql<boolean>`exists (
    select 1 from deployment_merge_requests x join deployments d on d.id = x.deployment_id
      join environments e on e.id = d.environment_id
      join projects dp on dp.id = d.project_id join namespaces dn on dn.id = dp.project_namespace_id
    where x.merge_request_id = i.id and ${sql.join(conditions, sql` and `)})`
  return { test, selectivity: 'many' }
}
