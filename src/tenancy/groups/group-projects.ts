import { sql } from 'kysely'
import { Type } from 'typebox'
import { current, visibleTo } from '#platform/access/visible.ts'
import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import type { Audience } from '#tenancy/projects/audience.ts'
import { projectEntity, type ProjectFields } from '#tenancy/projects/entity.ts'
import { presentProjects } from '#tenancy/projects/present-projects.ts'
import { readProjects } from '#tenancy/projects/list/read.ts'
import type { ProjectRow } from '#tenancy/projects/queries.ts'

/** The projects in a group and those shared with it. The group's detail still shows them; deprecated. */
export interface GroupProjects {
  readonly projects?: ProjectFields[]
  readonly shared_projects?: ProjectFields[]
}

/** Their schemas. */
export const groupProjects = () => ({
  projects: Type.Optional(Type.Array(projectEntity())),
  shared_projects: Type.Optional(Type.Array(projectEntity())),
})

/** The newest 100 of each that the viewer may see. */
export async function projectsOf(
  db: Db | Tx['db'],
  groupId: number,
  audience: Audience,
): Promise<GroupProjects> {
  const { viewer } = audience
  const inside = sql`select c.id from namespaces c
    where c.parent_id = ${groupId} and c.kind = 'project' and ${visibleTo('c', viewer)}
    order by c.id desc limit 100`
  const shared = sql`select c.id from shares s join namespaces c on c.id = s.namespace_id
    where s.group_id = ${groupId} and c.kind = 'project' and ${current('s', viewer.today)}
      and ${visibleTo('c', viewer)}
    order by c.id desc limit 100`
  const { rows: found } = await sql<{ id: number }>`
    select p.id from projects p where p.project_namespace_id = any(array(${inside}) || array(${shared}))
    order by p.project_namespace_id desc`.execute(db)
  const rows = await readProjects(
    db,
    viewer,
    found.map(({ id }) => id),
  )
  const isInside = (row: ProjectRow) => row.parent.id === groupId
  return {
    projects: presentProjects(rows.filter(isInside), audience),
    shared_projects: presentProjects(
      rows.filter((row) => !isInside(row)),
      audience,
    ),
  }
}
