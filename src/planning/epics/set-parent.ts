import { sql } from 'kysely'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { touch } from '#planning/noteables/touch.ts'
import { GAP } from '#planning/issues/order/positions.ts'
import { aboutEpic, namingEpic } from './facts-about.ts'
import type { EpicRow } from './queries.ts'
import { refreshDates } from './refresh-dates.ts'
import { assertMayBeBelow } from './tree.ts'

type ParentEpic = Pick<EpicRow, 'id' | 'iid' | 'group_id' | 'full_path' | 'confidential'>

/**
 * Puts an epic below another one, after its other children, or below none.
 * @param epic is locked, and so is its tree (tree.ts).
 * @param parent stays, and the caller may link there.
 * @returns whether anything changed.
 * @throws 422 when one cannot be below the other
 */
export async function setParent(
  tx: Tx,
  epic: ParentEpic & Pick<EpicRow, 'own_parent_id'>,
  parent: ParentEpic | null,
): Promise<boolean> {
  const former = epic.own_parent_id
  if (former === (parent?.id ?? null)) return false
  if (parent !== null) await assertMayBeBelow(tx, parent, epic)
  await sql`update epics set parent_id = ${parent?.id ?? null}::bigint, relative_position = coalesce(
      (select max(c.relative_position) from epics c where c.parent_id = ${parent?.id ?? null}::bigint), 0) + ${GAP}
    where id = ${epic.id}`.execute(tx.db)
  await touch(tx, epic.id)
  if (former !== null) await tellFormer(tx, epic, former)
  if (parent !== null) {
    record(
      tx,
      { ...aboutEpic(epic), name: 'epic parent added', details: namingEpic(parent, epic.group_id) },
      { ...aboutEpic(parent), name: 'epic child added', details: namingEpic(epic, parent.group_id) },
    )
  }
  await refreshDates(
    tx,
    [former, parent?.id ?? null].filter((id) => id !== null),
  )
  return true
}

async function tellFormer(tx: Tx, epic: ParentEpic, formerId: number): Promise<void> {
  const former = await tx.db
    .selectFrom('epics as e')
    .innerJoin('namespaces as n', 'n.id', 'e.group_id')
    .select(['e.id', 'e.iid', 'e.group_id', 'n.full_path'])
    .where('e.id', '=', formerId)
    .executeTakeFirstOrThrow()
  record(
    tx,
    { ...aboutEpic(epic), name: 'epic parent removed', details: namingEpic(former, epic.group_id) },
    { ...aboutEpic(former), name: 'epic child removed', details: namingEpic(epic, former.group_id) },
  )
}
