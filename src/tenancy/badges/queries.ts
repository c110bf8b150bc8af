import type { Db } from '#platform/db/pool.ts'
import { isAnyOf } from '#platform/db/any-of.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { forbidden, notFound } from '#platform/refusals.ts'
import type { ListOrder } from '#platform/http/order.ts'
import { badgeColumns, type BadgeContainer, type BadgeRow } from './entity.ts'

/** As they were created. */
export const badgeOrder: ListOrder = {
  of: 'Badge',
  id: 'b.id',
  columns: { id: { column: 'b.id' } },
  by: 'id',
  sort: 'asc',
}

/** The badges that a container shows: of a group its own, of a project also those of all groups above it. */
export function badgesOf(db: Db | Tx['db'], { kind, namespace_id, traversal_ids }: BadgeContainer) {
  const at = kind === 'project' ? traversal_ids : [namespace_id]
  return db
    .selectFrom('badges as b')
    .select(badgeColumns.map((name) => `b.${name}` as const))
    .where(isAnyOf('b.namespace_id', at))
}

type BadgeQuery = ReturnType<typeof badgesOf>

/** @param filter.name the whole name, in its case. */
export function filterBadges(query: BadgeQuery, { name }: { readonly name?: string }): BadgeQuery {
  return name === undefined ? query : query.where('b.name', '=', name)
}

/** Finds a badge by its id among those of a query. @throws 404 `Badge Not Found` */
export async function findBadge(query: BadgeQuery, id: number): Promise<BadgeRow> {
  return query.where('b.id', '=', id).executeTakeFirstOrThrow(() => notFound('Badge'))
}

/**
 * Finds and locks a badge for a change.
 * @param deletes whether it will be deleted.
 * @throws 404 `Badge Not Found`, 403 for a badge of a group above the project.
 */
export async function lockBadge(
  tx: Tx,
  container: BadgeContainer,
  id: number,
  deletes: boolean,
): Promise<BadgeRow> {
  const badges = badgesOf(tx.db, container)
  const badge = await findBadge(deletes ? badges.forUpdate('b') : badges.forNoKeyUpdate('b'), id)
  if (badge.namespace_id !== container.namespace_id) throw belongsToGroup(badge, container)
  return badge
}

/** The path of a group above the project is the beginning of the project's own, so it tells nothing new. */
function belongsToGroup({ id, namespace_id }: BadgeRow, { traversal_ids, full_path }: BadgeContainer) {
  const depth = traversal_ids.indexOf(namespace_id) + 1
  const group = encodeURIComponent(full_path.split('/').slice(0, depth).join('/'))
  return forbidden(`The badge belongs to a group: use /groups/${group}/badges/${id} instead`)
}
