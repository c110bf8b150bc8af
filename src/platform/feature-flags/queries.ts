import type { Selectable } from 'kysely'
import type { Db } from '#platform/db/pool.ts'
import type { FeatureSwitches } from '#platform/db/schema.ts'
import type { Tx } from '#platform/db/transaction.ts'

export type SwitchRow = Selectable<FeatureSwitches>

export const switchColumns = [
  'name',
  'enabled',
  'actors',
  'groups',
  'percentage_of_actors',
  'percentage_of_time',
  'updated_at',
] as const

/** The feature flags that were set, by name. */
export function readSwitches(db: Db): Promise<SwitchRow[]> {
  return db.selectFrom('feature_switches').select(switchColumns).orderBy('name').execute()
}

/** Locks a feature flag until the transaction ends; undefined when it was never set. */
export function lockSwitch(tx: Tx, name: string): Promise<SwitchRow | undefined> {
  return tx.db
    .selectFrom('feature_switches')
    .select(switchColumns)
    .where('name', '=', name)
    .forUpdate()
    .executeTakeFirst()
}
