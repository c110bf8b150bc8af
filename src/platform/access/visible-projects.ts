import { type RawBuilder, sql } from 'kysely'
import { projectFeatureOpenAt } from './project-feature-rules.ts'
import type { ProjectFeature } from './project-features.ts'
import { levels, type Role } from './roles.ts'
import type { SqlViewer } from './viewer.ts'
import { grantedLevels, visibleTo } from './visible.ts'

/** What {@link visibleProjects} is about. */
export interface ProjectSelection {
  /** The project feature that must be open to the caller, or several of which one must be. */
  readonly feature: ProjectFeature | readonly ProjectFeature[]
  /** From this role on, a project is `trusted`. */
  readonly trusts: Role
  /** A further condition, on `projects` as `p` and `namespaces` as `n`. */
  readonly where?: (held: HeldRoles) => RawBuilder<boolean>
}

/** Conditions on a project that the statement has decided already. */
export interface HeldRoles {
  /** Whether the caller is a member. */
  readonly member: RawBuilder<boolean>
  readonly trusted: RawBuilder<boolean>
}

/**
 * Decides rights once per statement, for lists over several projects: common table expressions for `with recursive`, the last of which is
 * `visible (id, trusted, namespace_id)`. It has the projects that the caller may see, with whether they have a certain role there. Lists
 * test their rows against it with {@link inVisible}, or go through it project by project.
 */
export function visibleProjects(
  viewer: SqlViewer,
  { feature, trusts, where }: ProjectSelection,
): RawBuilder<unknown> {
  const yes = sql<boolean>`true`
  const member = viewer.admin ? yes : sql<boolean>`(n.id in (select h.id from held h))`
  const features = typeof feature === 'string' ? [feature] : feature
  const open = features.map((one) => projectFeatureOpenAt(one, 'p.settings', 'n', viewer, member))
  const trusted = viewer.admin ? yes : sql<boolean>`(n.id in (select t.id from trusting t))`
  return sql`granted (id, level) as materialized (${grantedLevels(viewer)}),
    held (id, kind, level) as (${held}),
    trusting (id) as materialized (select h.id from held h where h.level >= ${sql.lit(levels[trusts])}),
    visible (id, trusted, namespace_id) as materialized (
      select p.id, ${trusted}, n.id from projects p join namespaces n on n.id = p.project_namespace_id
      where ${visibleTo('n', viewer, member)} and (${sql.join(open, sql` or `)})
        and ${where?.({ member, trusted }) ?? yes})`
}

/**
 * The namespaces where the caller has a role, with its level: the few with a grant, and down from them along the parents, once for
 * all levels. One occurs once for each level that it has from above. The offsets lead PostgreSQL through indexes, whatever its
 * statistics say; and of what is in arrays it expects as few whoever asks, so that it keeps one plan for all.
 */
const held = sql`select n.id, n.kind, g.level
    from unnest(array(${granted('id')}), array(${granted('level')})) as g (id, level)
      cross join lateral (select b.id, b.kind from namespaces b where b.id = g.id offset 0) n
    union
    select c.id, c.kind, h.level from held h
      cross join lateral (select b.id, b.kind from namespaces b where b.parent_id = h.id offset 0) c
      where h.kind <> 'project'`

/** A column of the caller's grants that are roles, which has the same order as another one. */
function granted(column: 'id' | 'level'): RawBuilder<unknown> {
  return sql`select ${sql.ref(`g.${column}`)} from granted g where g.level >= ${sql.lit(levels.guest)}`
}

/**
 * Whether a project is in `visible`, named by its own id or by that of its namespace. Written so that PostgreSQL can't make a join of it: it always tests each row against a
 * hash table, whatever its statistics say.
 */
export const inVisible = (
  project: RawBuilder<unknown>,
  trusted = false,
  named: 'id' | 'namespace_id' = 'id',
): RawBuilder<boolean> =>
  sql<boolean>`((${project} in (select v.${sql.ref(named)} from visible v where ${trusted ? sql`v.trusted` : sql`true`})) is true)`
