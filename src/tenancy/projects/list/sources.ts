import { type RawBuilder, sql } from 'kysely'
import type { Viewer } from '#platform/access/viewer.ts'
import { current } from '#platform/access/visible.ts'
import type { UserRow } from '#identity/users/queries.ts'
import { hasTopic, hasTopicsNamed } from '#tenancy/topics/queries.ts'

/** An index that leads to the projects of a list. */
export interface Source {
  /** A query for the `id` of their namespaces, perhaps several times. It may have others, too. */
  readonly ids: RawBuilder<unknown>
  /** Whether a project, `p` with its namespace `n`, belongs to them. */
  readonly test: RawBuilder<boolean>
}

/** Leads to no project. */
export const none: Source = {
  ids: sql`select null::bigint as id where false`,
  test: sql<boolean>`false`,
}

const projectsIn = (where: RawBuilder<unknown>) =>
  sql`select s.id from namespaces s where s.kind = 'project' and s.deleted_at is null and ${where}`

interface AroundGroup {
  readonly with_shared: boolean
  readonly include_subgroups: boolean
  readonly include_ancestor_groups: boolean
}

/** The projects of a group and, on request, those of groups below and above it and those to which it is invited. */
export function inGroup(
  { id, traversal_ids }: { readonly id: number; readonly traversal_ids: readonly number[] },
  { with_shared, include_subgroups, include_ancestor_groups }: AroundGroup,
  today: string,
): Source {
  const inside = (node: 's' | 'n') =>
    include_subgroups
      ? sql<boolean>`${sql.ref(`${node}.traversal_ids`)} @> array[${id}]::bigint[]`
      : sql<boolean>`${sql.ref(`${node}.parent_id`)} = ${id}`
  const above = (node: 's' | 'n') =>
    sql<boolean>`${sql.ref(`${node}.parent_id`)} = any(${[...traversal_ids]}::bigint[])`
  const sources = [
    { ids: projectsIn(inside('s')), test: inside('n') },
    ...(include_ancestor_groups ? [{ ids: projectsIn(above('s')), test: above('n') }] : []),
    ...(with_shared ? [sharedWith(id, today)] : []),
  ]
  return {
    ids: sql.join(
      sources.map(({ ids }) => ids),
      sql` union all `,
    ),
    test: sql<boolean>`(${sql.join(
      sources.map(({ test }) => test),
      sql` or `,
    )})`,
  }
}

/** The projects to which a group is invited. */
export function sharedWith(groupId: number, today: string): Source {
  return byIds(
    sql`select s.namespace_id as id from shares s where s.group_id = ${groupId} and ${current('s', today)}`,
  )
}

/** The projects in a user's own namespace. */
export function personalOf(userId: number): Source {
  const own = sql`(select o.id from namespaces o where o.owner_id = ${userId})`
  return { ids: projectsIn(sql`s.parent_id = ${own}`), test: sql<boolean>`n.parent_id = ${own}` }
}

/** Only these types of targets count as work on a project. */
const WORK = ['Issue', 'MergeRequest', 'Note', 'Push']

/** The projects in which a user did something within a year. */
export function contributedBy(userId: number, today: string): Source {
  return byIds(sql`select distinct f.namespace_id as id from facts f
    where f.actor_id = ${userId} and f.target_type = any(${WORK}::text[])
      and f.at > ${today}::date - interval '1 year'`)
}

/** Projects whose namespaces a query finds by an index. */
const byIds = (ids: RawBuilder<unknown>): Source => ({
  ids,
  test: sql<boolean>`(n.id in (${ids})) is true`,
})

/** Projects that a query finds by an index, as `project_id`. */
const ofProjects = (ids: RawBuilder<unknown>, test: RawBuilder<boolean>): Source => ({
  // Without the offset, PostgreSQL could read all projects.
  ids: sql`select o.project_namespace_id as id from (${ids} offset 0) s join projects o on o.id = s.project_id`,
  test,
})

/** The projects that a user starred. */
export function starredBy(userId: number): Source {
  return ofProjects(
    sql`select st.project_id from project_stars st where st.user_id = ${userId}`,
    sql<boolean>`exists (select 1 from project_stars st
      where st.project_id = p.id and st.user_id = ${userId} offset 0)`,
  )
}

/** The projects with a topic. */
export function withTopic(id: number): Source {
  return ofProjects(
    sql`select pt.project_id from project_topics pt where pt.topic_id = ${id}`,
    hasTopic('p', id),
  )
}

/** The projects with topics of all these names, ignoring case. */
export function withTopics(names: readonly [string, ...string[]]): Source {
  return ofProjects(
    sql`select pt.project_id from topics t join project_topics pt on pt.topic_id = t.id
      where lower(t.name) = lower(${names[0]})`,
    hasTopicsNamed('p', names),
  )
}

/** The projects that have one of these visibilities. */
export const openProjects = (visibilities: RawBuilder<unknown>): RawBuilder<unknown> =>
  projectsIn(sql`s.visibility in ${visibilities}`)

/** Users with a private profile hide what they star and work on. */
export function mayReadProfile({ id, private_profile }: UserRow, viewer: Viewer): boolean {
  return !private_profile || viewer.admin || viewer.id === id
}
