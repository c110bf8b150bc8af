import { sql } from 'kysely'
import type { ContainerSource } from '#platform/access/container-sources.ts'

/** How a request's statement finds a project. */
export const projectSource: ContainerSource = {
  kind: 'project',
  own: sql`select p.id, p.creator_id, p.settings from projects p where p.project_namespace_id = n.id`,
  nodeOf: (id) => sql<number>`(select project_namespace_id from projects where id = ${id})`,
}
