import { type RawBuilder, sql } from 'kysely'
import type { Operand } from '#platform/db/statement.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { onlyOne } from '#platform/sequences.ts'

/** What each project or group numbers on its own. */
export type NumberedKind =
  | 'issue'
  | 'milestone'
  | 'merge_request'
  | 'epic'
  | 'deployment'
  | 'alert'
  | 'pipeline'

/**
 * Takes the next number of its kind in a project or group, starting from 1. Other transactions that want one wait until
 * this transaction ends, so that numbers have no gaps; take it early and do little else.
 *
 * @param wanted a number that the caller chooses, as imports do; later numbers continue from there.
 */
export async function nextIid(
  tx: Tx,
  namespaceId: number,
  kind: NumberedKind,
  wanted: number | null = null,
): Promise<number> {
  const { rows } = await takingIid(namespaceId, kind, wanted).execute(tx.db)
  return onlyOne(rows).iid
}

/** The same as a part of a statement that writes what gets the number, so that others wait one round trip less. */
export const takingIid = (
  namespaceId: Operand<number>,
  kind: NumberedKind,
  wanted: Operand<number | null>,
): RawBuilder<{ iid: number }> => sql<{ iid: number }>`
  insert into internal_ids as known (namespace_id, kind, last_iid)
  values (${namespaceId}, ${kind}, coalesce(${wanted}::integer, 1))
  on conflict (namespace_id, kind) do update
    set last_iid = greatest(known.last_iid, coalesce(${wanted}::integer, known.last_iid + 1))
  returning coalesce(${wanted}::integer, last_iid) as iid`

/**
 * Takes numbers in many projects or groups at once. This is part of a statement; it returns each `namespace_id` with
 * the last of its new numbers, `last_iid`.
 *
 * @param needed a query for each `namespace_id` and how many numbers it takes, as the integer `count`.
 */
export function nextIids(kind: NumberedKind, needed: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`insert into internal_ids as known (namespace_id, kind, last_iid)
    select namespace_id, ${kind}, count from (${needed}) as needed order by namespace_id
    on conflict (namespace_id, kind) do update set last_iid = known.last_iid + excluded.last_iid
    returning namespace_id, last_iid`
}
