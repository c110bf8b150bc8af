import { type RawBuilder, sql } from 'kysely'
import type { AuthorizedGroup, AuthorizedProject } from '#platform/access/authorize.ts'
import type { Viewer } from '#platform/access/viewer.ts'
import { archivedIn } from '#platform/access/visible.ts'
import { inVisible, visibleProjects } from '#platform/access/visible-projects.ts'
import { inSubtree } from '#platform/db/subtree.ts'
import type { Condition } from '../conditions.ts'
import { openOrOwn } from '../visible.ts'

/** Which issues a list is about, before any filter. */
export type IssueScope = ProjectScope | ManyScope

/** The issues of one project, where it is known what the viewer may do. */
interface ProjectScope {
  readonly kind: 'project'
  readonly viewer: Viewer
  readonly id: number
  /** Where its labels and milestones are: its namespace and those above. */
  readonly namespaces: readonly number[]
  readonly readsAll: boolean
}

/** The issues of all projects below a group, or of the instance, as far as they are open to the viewer. */
interface ManyScope {
  readonly kind: 'many'
  readonly viewer: Viewer
  readonly below?: number
}

export const ofProject = (viewer: Viewer, { container, can }: AuthorizedProject): IssueScope => ({
  kind: 'project',
  viewer,
  id: container.id,
  namespaces: container.traversal_ids,
  readsAll: can('read_confidential_issue'),
})

export const ofGroup = (viewer: Viewer, { container }: AuthorizedGroup): IssueScope => ({
  kind: 'many',
  viewer,
  below: container.id,
})

export const ofInstance = (viewer: Viewer): IssueScope => ({ kind: 'many', viewer })

/** Common table expressions that the other parts of a statement refer to, each followed by a comma. */
export function rights(scope: IssueScope, nonArchived: boolean): RawBuilder<unknown> {
  if (scope.kind === 'project') return sql``
  const { viewer, below } = scope
  const inside = below === undefined ? sql<boolean>`true` : inSubtree('n', below)
  const active = nonArchived ? sql<boolean>`not ${archivedIn('n')}` : sql<boolean>`true`
  const where = sql<boolean>`${inside} and ${active}`
  return sql`${visibleProjects(viewer, { feature: 'issues', trusts: 'planner', where })}, `
}

/** Whether an issue `i` is in the scope and open to the viewer, asked of any issue. */
export function inScope(scope: IssueScope): Condition {
  if (scope.kind === 'project') return sql<boolean>`i.project_id = ${scope.id} and ${openAt(scope)}`
  const { viewer } = scope
  const project = sql`i.project_id`
  const open = viewer.admin
    ? sql<boolean>`true`
    : sql<boolean>`(${openOrOwn(viewer)} or ${inVisible(project, true)})`
  return sql<boolean>`${inVisible(project)} and ${open}`
}

/** The same of the issues of a project of `visible v`, from which a statement goes to its issues. */
export function inProject(scope: IssueScope): Condition {
  if (scope.kind === 'project') return inScope(scope)
  return sql<boolean>`i.project_id = v.id and ${openAt(scope)}`
}

function openAt(scope: IssueScope): Condition {
  if (scope.kind === 'many') {
    return scope.viewer.admin ? sql<boolean>`true` : sql<boolean>`(v.trusted or ${openOrOwn(scope.viewer)})`
  }
  return scope.readsAll ? sql<boolean>`true` : openOrOwn(scope.viewer)
}
