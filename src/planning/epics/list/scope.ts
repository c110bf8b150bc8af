import { type RawBuilder, sql } from 'kysely'
import type { AuthorizedGroup } from '#platform/access/authorize.ts'
import { readsGroup } from '#platform/access/held-nodes.ts'
import { levels } from '#platform/access/roles.ts'
import type { Viewer } from '#platform/access/viewer.ts'
import { grantedLevels, visibleTo } from '#platform/access/visible.ts'
import { inSubtree } from '#platform/db/subtree.ts'
import type { Filter } from '../parameters.ts'

/** The groups whose epics a list is about: some around a group, or all. */
export type EpicScope = AroundGroup | AllGroups

interface AllGroups {
  readonly kind: 'instance'
  readonly viewer: Viewer
}

interface AroundGroup {
  readonly kind: 'group'
  readonly viewer: Viewer
  readonly id: number
  /** The ids of the group and those above it. */
  readonly path: readonly number[]
  readonly above: boolean
  readonly below: boolean
}

export const scopeOf = (
  viewer: Viewer,
  { container }: AuthorizedGroup,
  {
    include_ancestor_groups,
    include_descendant_groups,
  }: Pick<Filter, 'include_ancestor_groups' | 'include_descendant_groups'>,
): EpicScope => ({
  kind: 'group',
  viewer,
  id: container.id,
  path: container.traversal_ids,
  above: include_ancestor_groups,
  below: include_descendant_groups,
})

/**
 * Decides rights once per statement: common table expressions, the last of which is `visible (id, trusted)`. It has the groups
 * that the viewer may see, with whether they see confidential epics there. Lists test their rows against it with
 * {@link inVisible}, or go through it group by group.
 */
export function rights(scope: EpicScope): RawBuilder<unknown> {
  const { viewer } = scope
  const yes = sql<boolean>`true`
  const trusted = viewer.admin ? yes : sql<boolean>`(n.traversal_ids && array(select t.id from trusting t))`
  const seen = viewer.admin ? visibleTo('n', viewer) : visibleTo('n', viewer, readsGroup('n', viewer))
  return sql`granted (id, level) as materialized (${grantedLevels(viewer)}),
    trusting (id) as materialized (select g.id from granted g where g.level >= ${sql.lit(levels.planner)}),
    visible (id, trusted) as materialized (
      select n.id, ${trusted} from namespaces n where n.kind = 'group' and ${inside(scope)} and ${seen})`
}

function inside(scope: EpicScope): RawBuilder<boolean> {
  if (scope.kind === 'instance') return sql<boolean>`true`
  const { id, path, above, below } = scope
  const own = sql<boolean>`n.id = any(${above ? [...path] : [id]}::bigint[])`
  return below ? sql<boolean>`(${own} or ${inSubtree('n', id)})` : own
}

/**
 * Whether an epic `e` is in `visible` and open to the viewer. Written so that PostgreSQL can't make a join of it: it always
 * tests each row against a hash table, whatever its statistics say.
 */
export const inVisible: RawBuilder<boolean> = sql<boolean>`(
  ((e.group_id in (select v.id from visible v)) is true)
  and (not e.confidential or ((e.group_id in (select v.id from visible v where v.trusted)) is true)))`

/** The same of an epic of a group of `visible v`, from which a statement goes to its epics. */
export const openHere: RawBuilder<boolean> = sql<boolean>`(e.group_id = v.id and (not e.confidential or v.trusted))`
