import { sql } from 'kysely'
import type { Tx } from '#platform/db/transaction.ts'
import { inSubtree, subtreeIds } from '#platform/db/subtree.ts'

/**
 * Runs after a group with everything below it has moved. Epics lose the labels of groups that are no longer above them, and
 * epics of different top-level groups are no longer above one another.
 * @param nodeId the namespace that moved.
 * @param former the ids of the groups that were above it.
 */
export async function rehomeEpics(tx: Tx, nodeId: number, former: readonly number[]): Promise<void> {
  if (former.length === 0) return
  await sql`
    delete from epic_labels c using epics e, namespaces n, labels l
    where e.id = c.epic_id and n.id = e.group_id and l.id = c.label_id and ${inSubtree('n', nodeId)}
      and l.namespace_id = any(${[...former]}::bigint[]) and l.namespace_id <> all (n.traversal_ids)`.execute(
    tx.db,
  )
  await sql`
    update epics e set parent_id = null from epics p, namespaces n, namespaces pn
    where p.id = e.parent_id and n.id = e.group_id and pn.id = p.group_id
      and e.id = any(array(
        select o.id from epics o where o.group_id = any(${subtreeIds(nodeId)})
        union
        select c.id from epics o join epics c on c.parent_id = o.id where o.group_id = any(${subtreeIds(nodeId)})))
      and n.traversal_ids[1] <> pn.traversal_ids[1]`.execute(tx.db)
}
