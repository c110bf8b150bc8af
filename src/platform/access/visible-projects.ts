import { type RawBuilder, sql } from 'kysely'
import { projectFeatureOpenAt } from './project-feature-rules.ts'
import type { ProjectFeature } from './project-features.ts'
import { levels, type Role } from './roles.ts'
import type { Viewer } from './viewer.ts'
import { grantsOf, visibleTo } from './visible.ts'

/**
 * The namespaces of the projects where the caller has at least `level`, as a query for `id`. It goes from the few grants to
 * their projects, so its cost does not depend on how many projects there are. (It also has the ids of groups with a grant.)
 */
export function heldProjects(viewer: Viewer, level: number): RawBuilder<unknown> {
  if (viewer.id === null) return sql`select null::bigint as id where false`
  // An array lets the index over the paths find what is below the groups. Most grants may be on projects themselves.
  return sql`select g.id from unnest(${grantsOf(viewer, level)}) as g (id)
    union all
    select b.id from namespaces b where b.kind = 'project' and b.traversal_ids && array(
      select g.id from unnest(${grantsOf(viewer, level)}) as g (id) join namespaces x on x.id = g.id and x.kind <> 'project')`
}

/** What {@link visibleProjects} is about. */
export interface ProjectSelection {
  /** The project feature that must be open to the caller. */
  readonly feature: ProjectFeature
  /** The level for `trusted`. */
  readonly trusts: Role
  /** A further condition, on `projects` as `p` and `namespaces` as `n`. */
  readonly where?: RawBuilder<boolean>
}

/**
 * Decides rights once per statement, for lists over several projects: common table expressions, the last of which is
 * `visible (id, trusted)`. It has the projects that the caller may see, with whether they have a certain level there. Lists
 * test their rows against it with {@link inVisible}, or go through it project by project.
 */
export function visibleProjects(
  viewer: Viewer,
  { feature, trusts, where }: ProjectSelection,
): RawBuilder<unknown> {
  const member = viewer.admin ? sql<boolean>`true` : sql<boolean>`(n.id in (select held.id from held))`
  const trusted = viewer.admin
    ? sql<boolean>`true`
    : sql<boolean>`(n.id in (select trusting.id from trusting))`
  return sql`held (id) as materialized (${heldProjects(viewer, levels.guest)}),
    trusting (id) as materialized (${heldProjects(viewer, levels[trusts])}),
    visible (id, trusted) as materialized (
      select p.id, ${trusted} from projects p join namespaces n on n.id = p.project_namespace_id
      where ${visibleTo('n', viewer, member)} and ${projectFeatureOpenAt(feature, 'p.settings', 'n', viewer, member)}
        and ${where ?? sql<boolean>`true`})`
}

/**
 * Whether a project is in `visible`. Written so that PostgreSQL can't make a join of it: it always tests each row against a
 * hash table, whatever its statistics say.
 */
export const inVisible = (project: RawBuilder<unknown>, trusted = false): RawBuilder<boolean> =>
  sql<boolean>`((${project} in (select v.id from visible v where ${trusted ? sql`v.trusted` : sql`true`})) is true)`
