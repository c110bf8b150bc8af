import { sql } from 'kysely'
import type { Viewer } from '#platform/access/viewer.ts'
import { current } from '#platform/access/visible.ts'
import type { UserRow } from '#identity/users/queries.ts'
import type { ProjectQuery } from './queries.ts'

/** Narrows a query to the projects of one list. */
type Scope = (projects: ProjectQuery) => ProjectQuery

export const none: Scope = (projects) => projects.where(sql<boolean>`false`)

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
): Scope {
  const containers = [
    include_subgroups ? sql`n.traversal_ids @> array[${id}]::bigint[]` : sql`n.parent_id = ${id}`,
    ...(include_ancestor_groups ? [sql`n.parent_id = any(${[...traversal_ids]}::bigint[])`] : []),
    ...(with_shared ? [isSharedWith(id, today)] : []),
  ]
  return (projects) => projects.where(sql<boolean>`(${sql.join(containers, sql` or `)})`)
}

/** The projects to which a group is invited. */
export function sharedWith(groupId: number, today: string): Scope {
  return (projects) => projects.where(isSharedWith(groupId, today))
}

const isSharedWith = (groupId: number, today: string) =>
  sql<boolean>`n.id = any(array(select s.namespace_id from shares s
    where s.group_id = ${groupId} and ${current('s', today)}))`

/** The projects in a user's own namespace. */
export function personalOf(userId: number): Scope {
  return (projects) =>
    projects.where(sql<boolean>`n.parent_id = (select o.id from namespaces o where o.owner_id = ${userId})`)
}

/** Only these types of targets count as work on a project. */
const WORK = ['Issue', 'MergeRequest', 'Note', 'Push']

/** The projects in which a user did something within a year. */
export function contributedBy(userId: number, today: string): Scope {
  return (projects) =>
    projects.where(
      sql<boolean>`n.id = any(array(select f.namespace_id from facts f
        where f.actor_id = ${userId} and f.target_type = any(${WORK}::text[])
          and f.at > ${today}::date - interval '1 year'))`,
    )
}

/** Users with a private profile hide what they star and work on. */
export function mayReadProfile({ id, private_profile }: UserRow, viewer: Viewer): boolean {
  return !private_profile || viewer.admin || viewer.id === id
}
