import type { TreePosition } from '#platform/access/containers.ts'
import { type RawBuilder, sql } from 'kysely'
import type { Viewer } from '#platform/access/viewer.ts'
import { visibleProjects } from '#platform/access/visible-projects.ts'
import { isAnyOf } from '#platform/db/any-of.ts'
import type { Db } from '#platform/db/pool.ts'
import { contains, containsEach } from '#platform/db/search.ts'
import { inSubtree } from '#platform/db/subtree.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { notFound } from '#platform/refusals.ts'
import { leftOut, shortened } from '#platform/http/long-rows.ts'
import type { ListOrder } from '#platform/http/order.ts'
import { planningFeatures } from '#planning/project-features.ts'
import type { MilestoneRow } from './entity.ts'

/** Newest first. */
export const milestoneOrder: ListOrder = {
  of: 'Milestone',
  id: 'm.id',
  columns: {},
  by: 'id',
  sort: 'desc',
}

const wanted = [
  'm.id',
  'm.iid',
  'm.namespace_id',
  'm.title',
  'm.state',
  'm.start_date',
  'm.due_date',
  'm.created_at',
  'm.updated_at',
  'p.id as project_id',
] as const

/** All milestones, each with everything that presenters need, without descriptions of more bytes than `longest`. */
export function milestonesFor(db: Db | Tx['db'], longest?: number) {
  return (
    db
      .selectFrom('milestones as m')
      // Left joins cost nothing where their columns are not used, as in totals.
      .leftJoin('namespaces as n', 'n.id', 'm.namespace_id')
      .leftJoin('projects as p', 'p.project_namespace_id', 'm.namespace_id')
      .select(wanted)
      .select([
        sql<string>`n.full_path`.as('full_path'),
        sql<string | null>`${shortened('m.description', longest)}`.as('description'),
        leftOut('m.description', longest).as('left_out'),
      ])
  )
}

type MilestoneQuery = ReturnType<typeof milestonesFor>

/** The milestones that a container can use: its own and, with `ancestors`, those of the groups above. */
export function milestonesAt(query: MilestoneQuery, home: TreePosition, ancestors = false): MilestoneQuery {
  return ancestors
    ? query.where(isAnyOf('m.namespace_id', home.traversal_ids))
    : query.where('m.namespace_id', '=', home.namespace_id)
}

/** The milestones of all projects that a viewer may see, or of those in a group. */
export function milestonesOfProjects(query: MilestoneQuery, viewer: Viewer, group?: number): MilestoneQuery {
  const selection = { feature: planningFeatures, trusts: 'planner' } as const
  const inside = group === undefined ? selection : { ...selection, where: () => inSubtree('n', group) }
  return query.where(sql<boolean>`((m.namespace_id in (
    with recursive ${visibleProjects(viewer, inside)} select v.namespace_id from visible v)) is true)`)
}

interface Filter {
  readonly iids?: readonly number[]
  readonly state?: 'active' | 'closed' | 'all'
  readonly title?: string
  readonly search?: string
  readonly search_title?: string
  readonly updated_before?: string
  readonly updated_after?: string
  readonly containing_date?: string
  readonly start_date?: string
  readonly end_date?: string
}

/** Narrows a list by the filters that projects and groups share. */
export function filterMilestones(query: MilestoneQuery, filter: Filter): MilestoneQuery {
  return conditions(filter).reduce((narrowed, condition) => narrowed.where(condition), query)
}

type Condition = RawBuilder<boolean>

/** One condition for each filter that is given. */
function conditions(filter: Filter): Condition[] {
  const found: Condition[] = []
  const when = <T>(value: T | undefined, make: (value: T) => Condition) => {
    if (value !== undefined) found.push(make(value))
  }
  when(filter.iids, (iids) => sql`m.iid = any(${[...iids]}::integer[])`)
  when(filter.state, (state) => (state === 'all' ? sql`true` : sql`m.state = ${state}`))
  when(filter.title, (title) => sql`m.title = ${title}`)
  when(filter.search, (term) => contains(['m.title', 'm.description'], term))
  when(filter.search_title, (words) => containsEach('m.title', words))
  when(filter.updated_before, (at) => sql`m.updated_at <= ${at}`)
  when(filter.updated_after, (at) => sql`m.updated_at >= ${at}`)
  when(filter.containing_date, (day) => runsBetween(day, day))
  if (filter.start_date !== undefined || filter.end_date !== undefined) {
    found.push(runsBetween(filter.start_date, filter.end_date))
  }
  return found
}

/**
 * Milestones with a date that run at some time between two days. Without a start or due date, they are open at that
 * end.
 */
function runsBetween(first: string | undefined, last: string | undefined): Condition {
  return sql<boolean>`(coalesce(m.start_date, m.due_date) is not null
    and (m.due_date >= ${first ?? '-infinity'}::date or m.due_date is null)
    and (m.start_date <= ${last ?? 'infinity'}::date or m.start_date is null))`
}

/**
 * Finds a milestone by its id among those of a query.
 * @throws 404
 */
export async function findMilestone(query: MilestoneQuery, id: number): Promise<MilestoneRow> {
  return query.where('m.id', '=', id).executeTakeFirstOrThrow(() => notFound())
}

/**
 * Finds and locks a milestone of the container itself.
 * @param keyChanges whether it will be retitled, promoted or deleted: then nobody may assign it meanwhile.
 * @throws 404
 */
export function lockMilestone(
  tx: Tx,
  home: TreePosition,
  id: number,
  keyChanges: boolean,
): Promise<MilestoneRow> {
  const milestones = milestonesAt(milestonesFor(tx.db), home)
  return findMilestone(keyChanges ? milestones.forUpdate('m') : milestones.forNoKeyUpdate('m'), id)
}
