import { sql } from 'kysely'
import { InTheWay } from '#platform/db/errors.ts'
import { inSubtree } from '#platform/db/subtree.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { badRequest } from '#platform/refusals.ts'
import type { LabelRow } from './entity.ts'

/**
 * Promotes a project's label to its group. It replaces the labels of that name in all projects below: everything that
 * had those has it then.
 * @returns the label as it was when it was locked.
 * @throws 400 when the project is in a user namespace, 404 when the label is gone
 */
export async function promoteLabel(
  tx: Tx,
  groupId: number,
  { id, name }: Pick<LabelRow, 'id' | 'name'>,
): Promise<Pick<LabelRow, 'id'>> {
  const group = await tx.db
    .selectFrom('namespaces')
    .select('id')
    .where('id', '=', groupId)
    .where('kind', '=', 'group')
    .executeTakeFirst()
  if (group === undefined) throw badRequest('The project is not in a group')
  const locked = await lockDuplicates(tx, groupId, name)
  const label = locked.find((row) => row.id === id)
  if (label === undefined) throw new InTheWay('the label was renamed, promoted or deleted')
  const duplicates = locked.map((row) => row.id).filter((duplicate) => duplicate !== id)
  // Each table that refers to labels, with its other key columns. Rows that the promoted label already has stay as they
  // are.
  for (const [table, columns] of [
    ['label_priorities', ['project_id', 'priority']],
    ['label_subscriptions', ['user_id', 'created_at']],
    ['issue_labels', ['issue_id']],
    ['board_labels', ['board_id']],
  ] as const) {
    const others = sql.join(columns.map((column) => sql.ref(column)))
    await sql`insert into ${sql.table(table)} (label_id, ${others})
      select ${label.id}::bigint, ${others} from ${sql.table(table)} where label_id = any(${duplicates}::bigint[])
      on conflict do nothing`.execute(tx.db)
  }
  for (const table of ['resource_events', 'board_lists'] as const) {
    await tx.db
      .updateTable(table)
      .set({ label_id: label.id })
      .where(sql<boolean>`label_id = any(${duplicates}::bigint[])`)
      .execute()
  }
  await tx.db
    .deleteFrom('labels')
    .where(sql<boolean>`id = any(${duplicates}::bigint[])`)
    .execute()
  await tx.db
    .updateTable('labels')
    .set({ namespace_id: groupId, updated_at: tx.now })
    .where('id', '=', label.id)
    .execute()
  record(tx, {
    name: 'label promoted',
    namespace: groupId,
    target: { type: 'Label', id: label.id },
    details: { label: label.name },
  })
  return label
}

/** Locks the labels of a name in the projects below the group, so that nobody assigns one meanwhile. */
function lockDuplicates(tx: Tx, groupId: number, name: string) {
  return tx.db
    .selectFrom('labels as l')
    .innerJoin('namespaces as n', 'n.id', 'l.namespace_id')
    .select(['l.id', 'l.name'])
    .where(inSubtree('n', groupId))
    .where('n.kind', '=', 'project')
    .where('l.name', '=', name)
    .orderBy('l.id')
    .forUpdate('l')
    .execute()
}
