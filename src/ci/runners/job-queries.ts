import { type RawBuilder, sql } from 'kysely'
import { jobs } from '#code/jobs/queries.ts'
import { levels } from '#platform/access/roles.ts'
import type { Viewer } from '#platform/access/viewer.ts'
import { hasLevel, visibleTo } from '#platform/access/visible.ts'
import type { Db } from '#platform/db/pool.ts'
import type { CiStatus } from '#platform/db/schema.ts'
import type { ProjectIdentityRow } from '#identity/namespaces/project-identity.ts'

const project = sql<ProjectIdentityRow>`(
  select json_build_object('id', p.id, 'description', n.description, 'name', n.name, 'full_name', n.full_name, 'path', n.path,
    'full_path', n.full_path, 'created_at', n.created_at)
  from projects p join namespaces n on n.id = p.project_namespace_id where p.id = j.project_id)`

/** A sub-select that stays one: the projects are found once, and each job is looked up among them. */
const isInProjectOf = (viewer: Viewer): RawBuilder<boolean> =>
  viewer.admin
    ? sql<boolean>`exists (select from projects p join namespaces n on n.id = p.project_namespace_id
        where p.id = j.project_id and ${visibleTo('n', viewer)})`
    : sql<boolean>`(j.project_id in (
        select p.id from (select n.id from namespaces n
            where n.kind = 'project' and ${visibleTo('n', viewer)} and ${hasLevel('n', viewer, levels.reporter)} offset 0) c
          cross join lateral (select p.id from projects p where p.project_namespace_id = c.id offset 0) p)) is true`

interface JobFilter {
  readonly status?: CiStatus | undefined
  readonly system_id?: string | undefined
}

/** The jobs that a runner has or had, in projects where the viewer is a Reporter or above. */
export function jobsOfRunner(db: Db, viewer: Viewer, runnerId: number, { status, system_id }: JobFilter) {
  const query = jobs(db)
    .select(project.as('project'))
    .where('j.runner_id', '=', runnerId)
    .where(isInProjectOf(viewer))
    .$if(status !== undefined, (q) => q.where(sql<boolean>`j.status = ${status}::ci_status`))
  return system_id === undefined
    ? query
    : query.where(
        sql<boolean>`j.runner_manager_id = (select m.id from ci_runner_managers m
          where m.runner_id = ${runnerId} and m.system_id = ${system_id})`,
      )
}
