import { type RawBuilder, sql } from 'kysely'
import type { AuthorizedGroup, AuthorizedProject } from '#platform/access/authorize.ts'
import type { Viewer } from '#platform/access/viewer.ts'
import { archivedIn } from '#platform/access/visible.ts'
import { inVisible, visibleProjects } from '#platform/access/visible-projects.ts'
import { inSubtree } from '#platform/db/subtree.ts'
import type { Condition } from '../conditions.ts'
import { confidentialOpenIn } from '../visible.ts'

/** Which issues a list is about, before any filter. */
export type IssueScope = ProjectScope | GroupScope | InstanceScope

/** The issues of one project, where it is known what the viewer may do. */
interface ProjectScope {
  readonly kind: 'project'
  readonly viewer: Viewer
  readonly id: number
  readonly namespaceId: number
  /** The ids of its namespace and those above. */
  readonly path: readonly number[]
  readonly readsAll: boolean
}

/** The issues of all projects below a group, as far as they are open to the viewer. */
interface GroupScope {
  readonly kind: 'group'
  readonly viewer: Viewer
  readonly id: number
  readonly path: readonly number[]
}

/** The issues of all projects, as far as they are open to the viewer. */
interface InstanceScope {
  readonly kind: 'instance'
  readonly viewer: Viewer
}

export const ofProject = (viewer: Viewer, { container, can }: AuthorizedProject): IssueScope => ({
  kind: 'project',
  viewer,
  id: container.id,
  namespaceId: container.namespace_id,
  path: container.traversal_ids,
  readsAll: can('read_confidential_issue'),
})

export const ofGroup = (viewer: Viewer, { container }: AuthorizedGroup): IssueScope => ({
  kind: 'group',
  viewer,
  id: container.id,
  path: container.traversal_ids,
})

export const ofInstance = (viewer: Viewer): IssueScope => ({ kind: 'instance', viewer })

/** Where the labels and milestones of issues are. */
export type Surroundings =
  | Pick<ProjectScope, 'kind' | 'path'>
  | Pick<GroupScope, 'kind' | 'path' | 'id'>
  | Pick<InstanceScope, 'kind'>

/** Whether a namespace may have labels and milestones that issues of a scope have: it is above, in, or below. */
export function around(scope: Surroundings, namespace: RawBuilder<unknown>): Condition {
  if (scope.kind === 'instance') return sql<boolean>`true`
  const above = sql`${scope.path}::bigint[]`
  if (scope.kind === 'project') return sql<boolean>`${namespace} = any(${above})`
  const below = sql`array(select b.id from namespaces b where ${inSubtree('b', scope.id)})`
  return sql<boolean>`${namespace} = any(${above} || ${below})`
}

/** Common table expressions that the other parts of a statement refer to, each followed by a comma. */
export function rights(scope: IssueScope, nonArchived: boolean): RawBuilder<unknown> {
  if (scope.kind === 'project') return sql``
  const { viewer } = scope
  const inside = scope.kind === 'group' ? inSubtree('n', scope.id) : sql<boolean>`true`
  const active = nonArchived ? sql<boolean>`not ${archivedIn('n')}` : sql<boolean>`true`
  const where = sql<boolean>`${inside} and ${active}`
  return sql`${visibleProjects(viewer, { feature: 'issues', trusts: 'planner', where })}, `
}

/** Whether an issue `i` is in the scope and open to the viewer, asked of any issue. */
export function inScope(scope: IssueScope): Condition {
  if (scope.kind === 'project') return inProject(scope)
  const { viewer } = scope
  const project = sql`i.project_id`
  const open = viewer.admin
    ? sql<boolean>`true`
    : sql<boolean>`(${confidentialOpenIn(viewer, false)} or ${inVisible(project, true)})`
  return sql<boolean>`${inVisible(project)} and ${open}`
}

/** The same of the issues of a project of `visible v`, from which a statement goes to its issues. */
export const inProject = (scope: IssueScope): Condition =>
  sql<boolean>`${projectAt(scope)} and ${openAt(scope)}`

/** Whether an issue is in that project. */
export const projectAt = (scope: IssueScope): Condition =>
  scope.kind === 'project' ? sql<boolean>`i.project_id = ${scope.id}` : sql<boolean>`i.project_id = v.id`

/** Whether an issue of that project is open to the viewer. */
export function openAt(scope: IssueScope): Condition {
  const { viewer } = scope
  if (scope.kind === 'project') return confidentialOpenIn(viewer, scope.readsAll)
  return viewer.admin ? sql<boolean>`true` : sql<boolean>`(v.trusted or ${confidentialOpenIn(viewer, false)})`
}
