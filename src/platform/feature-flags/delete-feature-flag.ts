import type { Tx } from '#platform/db/transaction.ts'
import { announce } from '#platform/db/watched.ts'
import { record } from '#platform/facts/record.ts'
import { FLAGS_CHANNEL } from './feature-flags.ts'
import type { SwitchRow } from './queries.ts'

/** Resets a feature flag to its default, on every process when the transaction commits. */
export async function deleteFeatureFlag(tx: Tx, { name }: SwitchRow): Promise<void> {
  await tx.db.deleteFrom('feature_switches').where('name', '=', name).execute()
  await announce(tx, FLAGS_CHANNEL)
  record(tx, {
    name: 'feature switch deleted',
    namespace: null,
    target: null,
    details: { feature: name },
  })
}
