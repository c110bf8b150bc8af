import { type RawBuilder, sql } from 'kysely'
import { visibleProjects } from '#platform/access/visible-projects.ts'
import type { SqlViewer } from '#platform/access/viewer.ts'

/**
 * The projects from which a viewer may pull, decided once per statement: common table expressions for `with recursive`, the last of
 * which is `visible (id, trusted, namespace_id)`. The ability `read_container_image` says the same.
 * @param where a further condition, on `projects` as `p` and `namespaces` as `n`
 */
export function pullableProjects(
  viewer: SqlViewer,
  where: RawBuilder<boolean> = sql<boolean>`true`,
): RawBuilder<unknown> {
  const internal = sql.lit(viewer.id !== null && !viewer.external)
  return visibleProjects(viewer, {
    feature: 'container_registry',
    trusts: 'reporter',
    where: ({ trusted }) =>
      sql<boolean>`(${where} and (${trusted} or n.visibility = 'public' or (n.visibility = 'internal' and ${internal})))`,
  })
}
