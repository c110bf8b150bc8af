import { sql } from 'kysely'
import type { Viewer } from '#platform/access/viewer.ts'
import { visibleTo } from '#platform/access/visible.ts'
import type { Db } from '#platform/db/pool.ts'
import type { ListOrder } from '#platform/http/order.ts'

export const allowedProjectOrder: ListOrder = {
  of: 'Project',
  id: 'p.id',
  columns: { id: { column: 'p.id' } },
  by: 'id',
  sort: 'asc',
}

/**
 * The projects whose jobs a project lets in, the project itself among them. Its maintainers know of all; what they may not see is
 * described by its name alone.
 */
export const allowedProjects = (db: Db, projectId: number, viewer: Viewer) =>
  db
    .selectFrom('projects as p')
    .innerJoin('namespaces as n', 'n.id', 'p.project_namespace_id')
    .select(['p.id', 'n.name', 'n.full_name', 'n.path', 'n.full_path', 'n.created_at'])
    .select(sql<string | null>`case when ${visibleTo('n', viewer)} then n.description end`.as('description'))
    .where('n.deleted_at', 'is', null)
    // By ids that are known first: an `or` over two tables reads all projects.
    .where(
      sql<boolean>`p.id = any(array(
        select ${projectId}::bigint
        union all select a.id from ci_job_token_scope_links l join projects a on a.project_namespace_id = l.namespace_id
          where l.project_id = ${projectId}))`,
    )

export const allowedGroupOrder: ListOrder = {
  of: 'Group',
  id: 'n.id',
  columns: { id: { column: 'n.id' } },
  by: 'id',
  sort: 'asc',
}

/** The groups whose jobs a project lets in. */
export const allowedGroups = (db: Db, projectId: number) =>
  db
    .selectFrom('ci_job_token_scope_links as l')
    .innerJoin('namespaces as n', 'n.id', 'l.namespace_id')
    .select(['n.id', 'n.name', 'n.full_path'])
    .where('l.project_id', '=', projectId)
    .where('n.kind', '=', 'group')
    .where('n.deleted_at', 'is', null)
