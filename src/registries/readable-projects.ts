import { type RawBuilder, sql } from 'kysely'
import { lettingIn } from '#platform/access/job-reach.ts'
import { projectFeatureOpenAt } from '#platform/access/project-feature-rules.ts'
import type { SqlViewer, Viewer } from '#platform/access/viewer.ts'
import { visibleProjects } from '#platform/access/visible-projects.ts'
import { closedAt } from '#platform/access/visible.ts'

type Registry = 'package_registry' | 'container_registry'

/**
 * The projects from whose registry a viewer may read, decided once per statement: common table expressions for `with recursive`, the last of
 * which is `visible (id, trusted, namespace_id)`. The abilities `read_package` and `read_container_image` say the same.
 * @param where a further condition, on `projects` as `p` and `namespaces` as `n`
 */
export function readableProjects(
  viewer: SqlViewer,
  registry: Registry,
  where: RawBuilder<boolean> = sql<boolean>`true`,
): RawBuilder<unknown> {
  const internal = sql.lit(viewer.id !== null && !viewer.external)
  return visibleProjects(viewer, {
    feature: registry,
    trusts: 'reporter',
    where: ({ trusted }) =>
      sql<boolean>`(${where} and (${trusted} or n.visibility = 'public' or (n.visibility = 'internal' and ${internal})))`,
  })
}

/**
 * Whether a viewer may read from the registry of a project below a group, also with a deploy token, and as a job as far as projects let it in.
 * @param id the column that names the project, beside `projects` as `p` and `namespaces` as `n`
 * @param where which projects, in the words of {@link readableProjects}
 */
export function isReadableAt(
  id: string,
  viewer: Viewer,
  registry: Registry,
  where: RawBuilder<boolean>,
): RawBuilder<boolean> {
  const { deployToken, job } = viewer
  // An array leads PostgreSQL through the index of each project, where a join would read those of all.
  const readable = (by: Viewer, among: RawBuilder<boolean>) => sql<boolean>`${sql.ref(id)} = any(array(
    with recursive ${readableProjects(by, registry, among)} select v.id from visible v))`
  if (job !== undefined) {
    const stranger = { ...viewer, id: null, admin: false }
    const letIn = sql<boolean>`(${where} and ${lettingIn(job)})`
    return sql<boolean>`(${readable(viewer, letIn)} or ${readable(stranger, where)})`
  }
  const byVisibility = readable(viewer, where)
  if (deployToken === undefined) return byVisibility
  const reached = sql<boolean>`(${where} and n.deleted_at is null and not ${closedAt('n', viewer)}
    and n.traversal_ids @> array[${deployToken.namespaceId}::bigint]
    and ${projectFeatureOpenAt(registry, 'p.settings', 'n', viewer, sql<boolean>`true`)})`
  return sql<boolean>`(${reached} or ${byVisibility})`
}
