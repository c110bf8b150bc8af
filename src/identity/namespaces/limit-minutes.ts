import { sql } from 'kysely'
import type { Json } from '#platform/db/schema.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import type { NamespaceRow } from './entity.ts'

/** Limits the minutes that a namespace may use on the instance's runners; null means no limit. */
export async function limitMinutes(
  tx: Tx,
  { id }: Pick<NamespaceRow, 'id'>,
  minutes: number | null,
): Promise<void> {
  const limit = JSON.stringify({ shared_runners_minutes_limit: minutes })
  const settings =
    minutes === null
      ? sql<Json>`settings - 'shared_runners_minutes_limit'`
      : sql<Json>`settings || ${limit}::jsonb`
  await tx.db.updateTable('namespaces').set({ settings, updated_at: tx.now }).where('id', '=', id).execute()
  record(tx, {
    name: 'namespace changed',
    namespace: id,
    target: { type: 'Namespace', id },
    details: { fields: ['shared_runners_minutes_limit'] },
  })
}
