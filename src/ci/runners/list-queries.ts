import { type RawBuilder, sql } from 'kysely'
import { ONLINE_FOR, STALE_AFTER } from '#code/jobs/runner.ts'
import { levels } from '#platform/access/roles.ts'
import type { Viewer } from '#platform/access/viewer.ts'
import { hasLevel, visibleTo } from '#platform/access/visible.ts'
import type { Db } from '#platform/db/pool.ts'
import type { RunnerFilter } from './parameters.ts'
import { runners } from './queries.ts'
import { acceptsGroupRunners, acceptsInstanceRunners } from './serving.ts'

type RunnerQuery = ReturnType<typeof runners>
type Word = NonNullable<RunnerFilter['status'] | RunnerFilter['scope']>

/** Arrays of ids lead from few rows to their runners, however many runners others have. */
const isIn = (ids: RawBuilder<unknown>) => sql<boolean>`r.id = any(array(${ids}))`

/** The runners that the viewer decides about, as owner of their group or as maintainer of one of their projects. */
export const ownedRunners = (db: Db, viewer: Viewer): RunnerQuery =>
  runners(db).where(
    isIn(sql`
      select g.id from ci_runners g where g.group_namespace_id = any(array(
        select n.id from namespaces n
          where n.kind = 'group' and ${visibleTo('n', viewer)} and ${hasLevel('n', viewer, levels.owner)}))
      union all
      select o.runner_id from ci_runner_projects o where o.project_id = any(array(
        select p.id from (select n.id from namespaces n
            where n.kind = 'project' and ${visibleTo('n', viewer)} and ${hasLevel('n', viewer, levels.maintainer)} offset 0) c
          cross join lateral (select p.id from projects p where p.project_namespace_id = c.id offset 0) p))`),
  )

/** The runners that take jobs of a project: its own, those of groups above it, and those of the instance. */
export const runnersOfProject = (db: Db, projectId: number): RunnerQuery =>
  runners(db).where(
    isIn(sql`
      select o.runner_id from ci_runner_projects o where o.project_id = ${projectId}
      union all
      select g.id from projects p join namespaces n on n.id = p.project_namespace_id
        join ci_runners g on g.group_namespace_id = any(n.traversal_ids)
        where p.id = ${projectId} and ${acceptsGroupRunners}
      union all
      select i.id from projects p join namespaces n on n.id = p.project_namespace_id
        join ci_runners i on i.runner_type = 'instance_type'
        where p.id = ${projectId} and ${acceptsInstanceRunners}`),
  )

/** The runners of a group and the groups above it, and those of the instance. @param path of the group, from the top */
export const runnersOfGroup = (db: Db, path: readonly number[]): RunnerQuery =>
  runners(db).where(
    isIn(sql`
      select g.id from ci_runners g where g.group_namespace_id = any(${[...path]}::bigint[])
      union all
      select i.id from ci_runners i where i.runner_type = 'instance_type' and not exists (
        select from namespaces a where a.id = any(${[...path]}::bigint[])
          and a.settings ->> 'shared_runners_setting' in ('disabled_and_overridable', 'disabled_and_unoverridable'))`),
  )

/** @param now in ISO 8601 */
export function filtered(
  query: RunnerQuery,
  { type, status, scope, paused, tag_list, version_prefix }: RunnerFilter,
  now: string,
): RunnerQuery {
  const conditions = [
    ...(type === undefined ? [] : [sql<boolean>`r.runner_type = ${type}`]),
    ...(status === undefined ? [] : [isIt(status, now)]),
    ...(scope === undefined ? [] : [isIt(scope, now)]),
    ...(paused === undefined ? [] : [sql<boolean>`r.paused = ${paused}`]),
    ...(tag_list === undefined ? [] : [sql<boolean>`r.tags @> ${tag_list}::text[]`]),
    ...(version_prefix === undefined ? [] : [hasVersion(version_prefix)]),
  ]
  return conditions.reduce((narrowed, condition) => narrowed.where(condition), query)
}

const hasVersion = (prefix: string) => sql<boolean>`exists (
  select from ci_runner_managers m where m.runner_id = r.id and starts_with(m.version, ${prefix}))`

/** What `statusOf` in src/code/jobs/runner.ts says of one runner, and the words of earlier days. */
function isIt(word: Word, now: string): RawBuilder<boolean> {
  const before = (milliseconds: number) => new Date(Date.parse(now) - milliseconds).toISOString()
  switch (word) {
    case 'online':
      return sql`r.contacted_at > ${before(ONLINE_FOR)}::timestamptz`
    case 'offline':
      return sql`r.contacted_at <= ${before(ONLINE_FOR)}::timestamptz`
    case 'stale':
      return sql`coalesce(r.contacted_at, r.created_at) <= ${before(STALE_AFTER)}::timestamptz`
    case 'never_contacted':
    case 'not_connected':
      return sql`r.contacted_at is null`
    case 'active':
      return sql`not r.paused`
    case 'paused':
      return sql`r.paused`
    case 'instance_type':
    case 'group_type':
    case 'project_type':
      return sql`r.runner_type = ${word}`
    case 'shared':
      return sql`r.runner_type = 'instance_type'`
    case 'specific':
      return sql`r.runner_type <> 'instance_type'`
  }
}
