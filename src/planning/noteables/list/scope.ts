import { type RawBuilder, sql } from 'kysely'
import type { AuthorizedGroup, AuthorizedProject } from '#platform/access/authorize.ts'
import type { Viewer } from '#platform/access/viewer.ts'
import { archivedIn } from '#platform/access/visible.ts'
import { type HeldRoles, inVisible, visibleProjects } from '#platform/access/visible-projects.ts'
import type { Operand } from '#platform/db/statement.ts'
import { inSubtree } from '#platform/db/subtree.ts'
import type { Condition } from './condition.ts'
import { allOf, everything } from './conditions.ts'
import type { ListedKind } from './kind.ts'

/** Which items a list is about, before any filter. */
export type ListScope = ProjectScope | GroupScope | InstanceScope

interface AnyScope {
  readonly of: ListedKind
  readonly viewer: Viewer
}

/** The items of one project, where it is known what the viewer may do. */
interface ProjectScope extends AnyScope {
  readonly kind: 'project'
  readonly id: number
  readonly namespaceId: number
  /** The ids of its namespace and those above. */
  readonly path: readonly number[]
  readonly readsAll: boolean
}

/** The items of all projects below a group, as far as they are open to the viewer. */
interface GroupScope extends AnyScope {
  readonly kind: 'group'
  readonly id: number
  readonly path: readonly number[]
}

/** The items of all projects, as far as they are open to the viewer. */
interface InstanceScope extends AnyScope {
  readonly kind: 'instance'
}

/** The scopes of the lists of a kind. */
export const scopesOf = (of: ListedKind) => ({
  ofProject: (viewer: Viewer, authorized: AuthorizedProject): ListScope => ({
    of,
    kind: 'project',
    viewer,
    id: authorized.container.id,
    namespaceId: authorized.container.namespace_id,
    path: authorized.container.traversal_ids,
    readsAll: of.readsAll(authorized),
  }),
  ofGroup: (viewer: Viewer, { container }: AuthorizedGroup): ListScope => ({
    of,
    kind: 'group',
    viewer,
    id: container.id,
    path: container.traversal_ids,
  }),
  ofInstance: (viewer: Viewer): ListScope => ({ of, kind: 'instance', viewer }),
})

/** Where the labels and milestones of items are. */
export type Surroundings =
  | { readonly kind: 'project'; readonly path: Operand<readonly number[]> }
  | { readonly kind: 'group'; readonly path: Operand<readonly number[]>; readonly id: Operand<number> }
  | Pick<InstanceScope, 'kind'>

/** Whether a namespace may have labels and milestones that items of a scope have: it is above, in, or below. */
export function inTree(scope: Surroundings, namespace: RawBuilder<unknown>): Condition {
  if (scope.kind === 'instance') return sql<boolean>`true`
  const above = sql`${scope.path}::bigint[]`
  if (scope.kind === 'project') return sql<boolean>`${namespace} = any(${above})`
  const below = sql`array(select b.id from namespaces b where ${inSubtree('b', scope.id)})`
  return sql<boolean>`${namespace} = any(${above} || ${below})`
}

/** Common table expressions that the other parts of a statement refer to, each followed by a comma. */
export function rights(scope: ListScope, nonArchived: boolean): RawBuilder<unknown> {
  if (scope.kind === 'project') return sql``
  const { viewer, of } = scope
  const { where: further, ...selection } = of.projects(viewer)
  const inside = scope.kind === 'group' ? inSubtree('n', scope.id) : everything
  const active = nonArchived ? sql<boolean>`not ${archivedIn('n')}` : everything
  const where = (held: HeldRoles) =>
    allOf([inside, active, ...(further === undefined ? [] : [further(held)])])
  return sql`${visibleProjects(viewer, { ...selection, where })}, `
}

/** Whether an item `i` is in the scope and open to the viewer, asked of any item. */
export function inScope(scope: ListScope): Condition {
  if (scope.kind === 'project') return inProject(scope)
  const project = sql`i.project_id`
  const open = seesAll(scope) ? everything : sql<boolean>`(${openTo(scope)} or ${inVisible(project, true)})`
  return sql<boolean>`${inVisible(project)} and ${open}`
}

/** The same of the items of a project of `visible v`, from which a statement goes to its items. */
export const inProject = (scope: ListScope): Condition =>
  sql<boolean>`${projectAt(scope)} and ${openAt(scope)}`

/** Whether an item is in that project. */
export const projectAt = (scope: ListScope): Condition =>
  scope.kind === 'project' ? sql<boolean>`i.project_id = ${scope.id}` : sql<boolean>`i.project_id = v.id`

/** Whether an item of that project is open to the viewer. */
export function openAt(scope: ListScope): Condition {
  if (seesAll(scope)) return everything
  return scope.kind === 'project' ? openTo(scope) : sql<boolean>`(v.trusted or ${openTo(scope)})`
}

/** Whether the viewer sees all items of the projects of a scope. */
export function seesAll(scope: ListScope): boolean {
  if (scope.of.openTo === undefined) return true
  return scope.kind === 'project' ? scope.readsAll : scope.viewer.admin
}

/** Whether an item is open to a viewer who does not see all. */
export const openTo = ({ of, viewer }: ListScope): Condition => of.openTo?.(viewer) ?? everything
