import { sql } from 'kysely'
import type { TreePosition } from '#platform/access/containers.ts'
import { readableBy } from '#platform/access/visible.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { dayOf } from '#platform/http/time.ts'

/** The given users who may read the project or group; undefined, for no change, when none of them may. 0 means nobody. */
export async function readersAmong(
  tx: Tx,
  { container }: { readonly container: Pick<TreePosition, 'namespace_id'> },
  ids: readonly number[],
): Promise<number[] | undefined> {
  const people = [...new Set(ids)].filter((id) => id !== 0)
  if (people.length === 0) return []
  const rows = await tx.db
    .selectFrom('users as u')
    .innerJoin('namespaces as n', (join) => join.on('n.id', '=', container.namespace_id))
    .select('u.id')
    .where(sql<boolean>`u.id = any(${people}::bigint[])`)
    .where('u.deleted_at', 'is', null)
    .where(readableBy('n', 'u', dayOf(tx.now)))
    .orderBy('u.id')
    .forKeyShare('u')
    .execute()
  const found = new Set(rows.map(({ id }) => id))
  const readers = people.filter((id) => found.has(id))
  return readers.length === 0 ? undefined : readers
}
