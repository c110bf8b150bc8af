import type { TreePosition } from '#platform/access/containers.ts'
import { sql } from 'kysely'
import { InTheWay } from '#platform/db/errors.ts'
import { inSubtree } from '#platform/db/subtree.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { nextIid } from '#identity/namespaces/next-iid.ts'
import { assertFreeTitle, lockTitle } from './check-milestone.ts'
import { findMilestone, milestonesAt, milestonesFor } from './queries.ts'

/**
 * Promotes a project's milestone to its group. It keeps its id and replaces the milestones of that title in all
 * projects below: issues, events and boards that had one of those have it then.
 * @throws 404 when the project has no such milestone (any more), 400 when the group, or one above or below it, has one
 * of that title.
 */
export async function promoteMilestone(
  tx: Tx,
  group: TreePosition,
  project: TreePosition,
  id: number,
): Promise<void> {
  const { namespace_id } = group
  const { title } = await findMilestone(milestonesAt(milestonesFor(tx.db), project), id)
  // Two duplicates that are promoted at once wait for each other here.
  await lockTitle(tx, group, title)
  const locked = await lockDuplicates(tx, namespace_id, title)
  if (!locked.includes(id)) throw new InTheWay('the milestone was retitled, promoted or deleted')
  await assertFreeTitle(tx, group, title, 'groups')
  const duplicates = locked.filter((duplicate) => duplicate !== id)
  const iid = await nextIid(tx, namespace_id, 'milestone')
  for (const table of ['issues', 'resource_events', 'boards', 'board_lists'] as const) {
    await tx.db
      .updateTable(table)
      .set({ milestone_id: id })
      .where(isAmong('milestone_id', duplicates))
      .execute()
  }
  await tx.db.deleteFrom('milestones').where(isAmong('id', duplicates)).execute()
  await tx.db
    .updateTable('milestones')
    .set({ namespace_id, iid, updated_at: tx.now })
    .where('id', '=', id)
    .execute()
  record(tx, {
    name: 'milestone promoted',
    namespace: namespace_id,
    target: { type: 'Milestone', id },
    details: { title },
  })
}

const isAmong = (column: string, ids: readonly number[]) =>
  sql<boolean>`${sql.ref(column)} = any(${[...ids]}::bigint[])`

/** Locks the milestones of a title in the projects below the group, so that nobody assigns one meanwhile. */
async function lockDuplicates(tx: Tx, groupId: number, title: string): Promise<number[]> {
  const rows = await tx.db
    .selectFrom('milestones as m')
    .innerJoin('namespaces as n', 'n.id', 'm.namespace_id')
    .select('m.id')
    .where('m.title', '=', title)
    .where('n.kind', '=', 'project')
    .where(inSubtree('n', groupId))
    .orderBy('m.id')
    .forUpdate('m')
    .execute()
  return rows.map((row) => row.id)
}
