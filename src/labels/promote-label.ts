import { sql } from 'kysely'
import { inSubtree } from '#db/subtree.ts'
import type { Tx } from '#db/transaction.ts'
import { record } from '#facts/record.ts'
import { badRequest } from '#http/errors.ts'
import type { LabelRow } from './entity.ts'

/**
 * Makes a project's label one of its group, where it takes the place of the labels of that name in all projects
 * below; what carried those carries it then.
 * @throws 400 when the project is in nobody's group
 */
export async function promoteLabel(tx: Tx, groupId: number, label: LabelRow): Promise<void> {
  const group = await tx.db
    .selectFrom('namespaces')
    .select('id')
    .where('id', '=', groupId)
    .where('kind', '=', 'group')
    .forUpdate()
    .executeTakeFirst()
  if (group === undefined) throw badRequest('The project is not in a group')
  const twins = tx.db
    .selectFrom('labels as l')
    .innerJoin('namespaces as n', 'n.id', 'l.namespace_id')
    .select('l.id')
    .where(inSubtree('n', groupId))
    .where('n.kind', '=', 'project')
    .where('l.name', '=', label.name)
    .where('l.id', '<>', label.id)
  await tx.db
    .insertInto('label_priorities')
    .columns(['project_id', 'label_id', 'priority'])
    .expression((eb) =>
      eb
        .selectFrom('label_priorities')
        .select(['project_id', sql<number>`${label.id}::bigint`.as('label_id'), 'priority'])
        .where('label_id', 'in', twins),
    )
    .onConflict((oc) => oc.doNothing())
    .execute()
  await tx.db
    .insertInto('label_subscriptions')
    .columns(['label_id', 'user_id', 'created_at'])
    .expression((eb) =>
      eb
        .selectFrom('label_subscriptions')
        .select([sql<number>`${label.id}::bigint`.as('label_id'), 'user_id', 'created_at'])
        .where('label_id', 'in', twins),
    )
    .onConflict((oc) => oc.doNothing())
    .execute()
  await tx.db.deleteFrom('labels').where('id', 'in', twins).execute()
  await tx.db
    .updateTable('labels')
    .set({ namespace_id: groupId, updated_at: tx.now })
    .where('id', '=', label.id)
    .execute()
  await record(tx, {
    name: 'label promoted',
    namespace: groupId,
    target: { type: 'Label', id: label.id },
    details: { label: label.name },
  })
}
