import { sql } from 'kysely'
import { authorizeGroup } from '#platform/access/authorize.ts'
import type { TreePosition } from '#platform/access/containers.ts'
import type { Viewer } from '#platform/access/viewer.ts'
import { lockText } from '#platform/db/locks.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { forbidden, notFound, unprocessable } from '#platform/refusals.ts'
import { onlyOne } from '#platform/sequences.ts'
import { lockReferencedRows } from '#planning/noteables/items/lock-referred.ts'
import { MAX_CHILDREN, MAX_DEPTH } from './limits.ts'
import { type EpicRow, epicsFor, lockRows } from './queries.ts'
import { epicVisibleTo } from './visible.ts'

/**
 * Epics are above one another within one top-level group, whose lock everybody takes who changes what is above what. So the
 * checks below hold until the transaction ends.
 */
export const lockTree = (tx: Tx, { traversal_ids }: TreePosition): Promise<void> =>
  lockText(tx, `epics of group ${traversal_ids[0]}`)

/**
 * Finds an epic of any group by its id, for linking something with it.
 * @throws 404 when the caller may not see it, 403 when they may not link there
 */
export async function findLinkable(tx: Tx, viewer: Viewer, id: number): Promise<EpicRow> {
  const epic = await findEpicById(tx, viewer, id)
  if (!(await mayLinkIn(tx, viewer, epic))) throw forbidden('only members of a group can link its epics')
  return epic
}

/** Whether a caller may link in the group of an epic that they may see. */
export async function mayLinkIn(tx: Tx, viewer: Viewer, { group_id }: Pick<EpicRow, 'group_id'>) {
  const { can } = await authorizeGroup(tx.db, viewer, String(group_id), 'read_epic')
  return can('link_epic')
}

/**
 * Finds an epic of any group by its id.
 * @throws 404 when the viewer may not see it
 */
export async function findEpicById({ db }: Tx, viewer: Viewer, id: number): Promise<EpicRow> {
  return epicsFor(db, viewer)
    .where('e.id', '=', id)
    .where(epicVisibleTo(viewer))
    .executeTakeFirstOrThrow(() => notFound('Epic'))
}

/** The same as {@link findLinkable} for an epic that changes; others who want to change it wait. */
export async function lockLinkable(tx: Tx, viewer: Viewer, id: number): Promise<EpicRow> {
  await findLinkable(tx, viewer, id)
  await lockRows(tx, id)
  return findEpicById(tx, viewer, id)
}

/** The same for the epic that others will be below; it stays until the transaction ends. */
export async function findParent(tx: Tx, viewer: Viewer, id: number): Promise<EpicRow> {
  const parent = await findLinkable(tx, viewer, id)
  await lockReferencedRows(tx, { noteables: [parent.id] })
  return parent
}

interface TreeRow {
  readonly id: number
  readonly group_id: number
  readonly confidential: boolean
}

interface TreePlace {
  readonly circular: boolean
  readonly confidential: boolean
  readonly related: boolean
  readonly children: number
  readonly levels: number
}

/**
 * Why one epic cannot be below another one, as a sentence; undefined when it can.
 * @param parent is locked, so that nobody makes it confidential meanwhile; it is read here, because it may have been before.
 * @param child its `id` is null while it is not there.
 */
export async function obstacleTo(
  tx: Tx,
  parent: TreeRow,
  child: Omit<TreeRow, 'id'> & { readonly id: number | null },
): Promise<string | undefined> {
  const { rows } = await sql<TreePlace>`
    with recursive above (id, level) as (
      select ${parent.id}::bigint, 0
      union all select e.parent_id, a.level + 1 from above a join epics e on e.id = a.id
        where e.parent_id is not null and a.level <= ${MAX_DEPTH}
    ), below (id, level) as (
      select ${child.id}::bigint, 1
      union all select c.id, b.level + 1 from below b join epics c on c.parent_id = b.id
        where b.level <= ${MAX_DEPTH}
    )
    select exists (select 1 from above where id = ${child.id}::bigint) as circular,
      (select confidential from epics where id = ${parent.id}) as confidential,
      (select p.traversal_ids[1] = c.traversal_ids[1] from namespaces p, namespaces c
        where p.id = ${parent.group_id} and c.id = ${child.group_id}) as related,
      (select count(*) from (select 1 from epics c where c.parent_id = ${parent.id} limit ${MAX_CHILDREN}) few) as children,
      (select max(level) from above) + (select max(level) from below) as levels`.execute(tx.db)
  const found = onlyOne(rows)
  if (found.circular) return 'an epic cannot be below itself'
  if (!found.related) return 'epics above one another are in the same top-level group'
  if (found.levels > MAX_DEPTH) return `an epic can have ${MAX_DEPTH} levels of epics below it`
  if (found.children >= MAX_CHILDREN) return `an epic can have ${MAX_CHILDREN} child epics`
  if (found.confidential && !child.confidential)
    return 'what is below a confidential epic is confidential, too'
  return undefined
}

/** @throws 422 when one epic cannot be below the other */
export async function assertMayBeBelow(...[tx, parent, child]: Parameters<typeof obstacleTo>): Promise<void> {
  const obstacle = await obstacleTo(tx, parent, child)
  if (obstacle !== undefined) throw unprocessable(`The epic cannot be added: ${obstacle}`)
}
