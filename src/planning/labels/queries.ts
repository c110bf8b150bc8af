import type { TreePosition } from '#platform/access/containers.ts'
import type { GroupContainer, ProjectContainer } from '#platform/access/authorize.ts'
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

/** What has labels: a project or a group. */
export type Container = TreePosition & Pick<ProjectContainer | GroupContainer, 'kind' | 'id'>

/** The labels that a project or group has itself. */
export const labelsAt = (db: Db | Tx['db'], viewer: Viewer, container: Container): LabelQuery =>
  seenFrom(db, viewer, container).where('l.namespace_id', '=', container.namespace_id)

/** Only projects have priorities. */
const seenFrom = (db: Db | Tx['db'], viewer: Viewer, { kind, id }: Container): LabelQuery =>
  labelsFor(db, viewer, kind === 'project' ? id : null)

interface LabelScope {
  readonly include_ancestor_groups: boolean
  readonly include_descendant_groups?: boolean
  readonly only_group_labels?: boolean
}

/** The labels that a project or group can use: its own and those of the groups above. */
const usable: LabelScope = { include_ancestor_groups: true }

/**
 * The labels of a project or group and, as requested, of the groups above and of what is below; below, only what the
 * viewer may see.
 */
export function labelsInReach(
  db: Db | Tx['db'],
  viewer: Viewer,
  container: Container,
  include: LabelScope = usable,
): LabelQuery {
  const query = seenFrom(db, viewer, container)
  const { include_descendant_groups: descendants = false, only_group_labels = true } = include
  const at = include.include_ancestor_groups ? container.traversal_ids : [container.namespace_id]
  if (!descendants && only_group_labels) return query.where(isAnyOf('l.namespace_id', at))
  const open = anyProjectFeatureOpenAt(planningFeatures, 'lp.settings', 'n', viewer)
  const below = sql<boolean>`(${inSubtree('n', container.namespace_id)} and ${visibleTo('n', viewer)} and ${open})`
  const depth = descendants ? sql<boolean>`true` : sql<boolean>`n.parent_id = ${container.namespace_id}`
  const kinds = only_group_labels ? sql<boolean>`n.kind <> 'project'` : sql<boolean>`true`
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
  return query
    .where((eb) => eb.or([eb('l.name', '=', idOrName), eb('l.id', '=', id ?? -1)]))
    .orderBy(sql`l.id = ${id ?? -1} desc`)
    .limit(1)
    .executeTakeFirstOrThrow(() => notFound('Label'))
}

/**
 * The same with a lock until the transaction ends.
 * @param keyChanges whether the label will be renamed or deleted: then nobody may assign it meanwhile.
 */
export function lockLabel(query: LabelQuery, idOrName: string, keyChanges: boolean): Promise<LabelRow> {
  return findLabel(keyChanges ? query.forUpdate('l') : query.forNoKeyUpdate('l'), idOrName)
}
