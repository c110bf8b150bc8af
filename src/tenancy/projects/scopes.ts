import { sql } from 'kysely'
import type { Viewer } from '#platform/access/viewer.ts'
import { current } from '#platform/access/visible.ts'
import type { UserRow } from '#identity/users/queries.ts'
import type { ProjectQuery } from './queries.ts'

/** Narrows to the projects that a list is about. */
type Scope = (projects: ProjectQuery) => ProjectQuery

export const none: Scope = (projects) => projects.where(sql<boolean>`false`)

interface AroundGroup {
  readonly with_shared: boolean
  readonly include_subgroups: boolean
  readonly include_ancestor_groups: boolean
}

/** Those of a group and, as asked, of groups below and above it and those it is invited to. */
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

/** Those that a group is invited to. */
export function sharedWith(groupId: number, today: string): Scope {
  return (projects) => projects.where(isSharedWith(groupId, today))
}

const isSharedWith = (groupId: number, today: string) =>
  sql<boolean>`n.id = any(array(select s.namespace_id from shares s
    where s.group_id = ${groupId} and ${current('s', today)}))`

/** Those in a user's own namespace. */
export function personalOf(userId: number): Scope {
  return (projects) =>
    projects.where(sql<boolean>`n.parent_id = (select o.id from namespaces o where o.owner_id = ${userId})`)
}

/** What counts as work on a project; of all this only notes, issues and the like will do. */
const WORK = ['Issue', 'MergeRequest', 'Note', 'Push']

/** Those in which a user did something within a year. */
export function contributedBy(userId: number, today: string): Scope {
  return (projects) =>
    projects.where(
      sql<boolean>`n.id = any(array(select f.namespace_id from facts f
        where f.actor_id = ${userId} and f.target_type = any(${WORK}::text[])
          and f.at > ${today}::date - interval '1 year'))`,
    )
}

/** What somebody with a private profile stars and works on is their own affair. */
export function mayReadProfile({ id, private_profile }: UserRow, viewer: Viewer): boolean {
  return !private_profile || viewer.admin || viewer.id === id
}
