import type { TreePosition } from '#platform/access/containers.ts'
import { sql } from 'kysely'
import { anyProjectFeatureOpenAt } from '#platform/access/project-feature-rules.ts'
import { planningFeatures } from '#planning/project-features.ts'
import { isAnyOf } from '#platform/db/any-of.ts'
import { visibleTo } from '#platform/access/visible.ts'
import type { Viewer } from '#platform/access/viewer.ts'
import { inSubtree } from '#platform/db/subtree.ts'
import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { contains } from '#platform/db/search.ts'
import { notFound } from '#platform/refusals.ts'
import type { ListOrder } from '#platform/http/order.ts'
import type { LabelRow } from './entity.ts'

export const labelOrder: ListOrder = {
  of: 'Label',
  id: 'l.id',
  columns: { name: { column: 'l.name' } },
  by: 'name',
  sort: 'asc',
}

const labelColumns = [
  'l.id',
  'l.namespace_id',
  'l.name',
  'l.color',
  'l.description',
  'l.archived',
  'l.created_at',
  'l.updated_at',
] as const

/** All labels, with columns that depend on the viewer and, for priorities, on the project from which they look. */
export function labelsFor(db: Db | Tx['db'], viewer: Viewer, projectId: number | null = null) {
  return (
    db
      .selectFrom('labels as l')
      // Left joins cost nothing where their columns are not used, as in totals.
      .leftJoin('namespaces as n', 'n.id', 'l.namespace_id')
      .leftJoin('projects as lp', 'lp.project_namespace_id', 'l.namespace_id')
      .select(labelColumns)
      .select([
        sql<boolean>`n.kind = 'project'`.as('is_project_label'),
        sql<boolean>`exists (select 1 from label_subscriptions s
        where s.label_id = l.id and s.user_id = ${viewer.id})`.as('subscribed'),
        sql<number | null>`(select p.priority from label_priorities p
        where p.label_id = l.id and p.project_id = ${projectId})`.as('priority'),
      ])
  )
}

type LabelQuery = ReturnType<typeof labelsFor>

/** The labels that a container can use: its own and, with `ancestors`, those of the groups above. */
export function labelsAt(query: LabelQuery, container: TreePosition, ancestors: boolean): LabelQuery {
  return ancestors
    ? query.where(isAnyOf('l.namespace_id', container.traversal_ids))
    : query.where('l.namespace_id', '=', container.namespace_id)
}

interface LabelScope {
  readonly include_ancestor_groups: boolean
  readonly include_descendant_groups: boolean
  readonly only_group_labels: boolean
}

/**
 * The labels of a group and, on request, of the groups above and of what is below; below, only what the viewer may see.
 */
export function labelsAround(
  query: LabelQuery,
  group: TreePosition,
  viewer: Viewer,
  include: LabelScope,
): LabelQuery {
  const { include_ancestor_groups: ancestors, include_descendant_groups: descendants } = include
  const projects = !include.only_group_labels
  if (!descendants && !projects) return labelsAt(query, group, ancestors)
  const open = anyProjectFeatureOpenAt(planningFeatures, 'lp.settings', 'n', viewer)
  const below = sql<boolean>`(${inSubtree('n', group.namespace_id)} and ${visibleTo('n', viewer)} and ${open})`
  const depth = descendants ? sql<boolean>`true` : sql<boolean>`n.parent_id = ${group.namespace_id}`
  const kinds = projects ? sql<boolean>`true` : sql<boolean>`n.kind <> 'project'`
  const at = ancestors ? group.traversal_ids : [group.namespace_id]
  return query.where((eb) => eb.or([isAnyOf('l.namespace_id', at), eb.and([below, depth, kinds])]))
}

/** Narrows a list by the filters that projects and groups share. */
export function filterLabels(
  query: LabelQuery,
  filter: { readonly search?: string; readonly archived?: boolean },
): LabelQuery {
  const { search, archived } = filter
  return query
    .$if(search !== undefined, (q) => q.where(contains(['l.name', 'l.description'], search ?? '')))
    .$if(archived !== undefined, (q) => q.where('l.archived', '=', archived ?? false))
}

/**
 * Finds a label by id or name among those of a query.
 * @throws 404 `Label Not Found`
 */
export async function findLabel(query: LabelQuery, idOrName: string): Promise<LabelRow> {
  const id = /^\d{1,15}$/.test(idOrName) ? Number(idOrName) : null
  const label = await query
    .where((eb) => eb.or([eb('l.name', '=', idOrName), eb('l.id', '=', id ?? -1)]))
    .orderBy(sql`l.id = ${id ?? -1} desc`)
    .limit(1)
    .executeTakeFirst()
  if (label === undefined) throw notFound('Label')
  return label
}

/**
 * The same with a lock until the transaction ends.
 * @param keyChanges whether the label will be renamed or deleted: then nobody may assign it meanwhile.
 */
export function lockLabel(query: LabelQuery, idOrName: string, keyChanges: boolean): Promise<LabelRow> {
  return findLabel(keyChanges ? query.forUpdate('l') : query.forNoKeyUpdate('l'), idOrName)
}
